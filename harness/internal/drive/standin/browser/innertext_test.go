package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The golden files were written by Chromium 156: innerText of the body and of
// every element with an id. See testdata/README.md.
func TestInnerTextIsChromiums(t *testing.T) {
	pages, err := filepath.Glob("testdata/innertext/*.html")
	if err != nil || len(pages) < 50 {
		t.Fatalf("Glob = %d pages, %v; want at least 50", len(pages), err)
	}
	for _, file := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".html"), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden, err := os.ReadFile(strings.TrimSuffix(file, ".html") + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]string
			if err := json.Unmarshal(golden, &want); err != nil {
				t.Fatal(err)
			}
			p := parsePage(t, string(source))
			got := map[string]string{"body": p.InnerText(p.Element(atom.Body))}
			for n := range p.Doc.Descendants() {
				if id, ok := Lookup(n, "id"); ok && n.Type == html.ElementNode {
					got["#"+id] = p.InnerText(n)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("innerText differs from Chromium's (-want +got):\n%s", diff)
			}
			if p.doubt != "" {
				t.Errorf("doubt = %q", p.doubt)
			}
		})
	}
}

func parsePage(t testing.TB, source string) *Page {
	t.Helper()
	return NewPage(parse(t, "https://example.com/"), source)
}
