package route

import (
	"os"
	"strings"
	"testing"
)

// README.md names every header, key and condition.
func TestReadmeNamesKeys(t *testing.T) {
	text, err := os.ReadFile("../../../../sites/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range headers {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("README.md does not list the header %s", name)
		}
	}
	d := &routeReader{r: new(Route)}
	for _, key := range append(d.keys(), d.conditions()...) {
		if !strings.Contains(string(text), "| `"+key.Name+"` |") && !strings.Contains(string(text), "| `\""+key.Name+"\":") {
			t.Errorf("README.md has no row for %q", key.Name)
		}
	}
}
