package observer

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/runtime"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
)

// Only files that arrived whole are downloads: not one that breaks off, and not one that a page shows.
func TestDownloads(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			fmt.Fprint(w, icon+`<a id=a href="/whole">a</a><a id=b href="/broken">b</a><a id=c target=_blank href="/whole?new">c</a>
				<a id=d download="own.txt">d</a><script>d.href = URL.createObjectURL(new Blob(["x"]))</script>`)
			return
		}
		w.Header().Set("Content-Disposition", `attachment; filename="a b.csv"`)
		w.Header().Set("Content-Length", "4")
		fmt.Fprint(w, "a,b")
		if r.URL.Path != "/broken" {
			fmt.Fprint(w, "\n")
		}
	}))
	defer web.Close()
	o, tab := observe(t)
	open(t, o, tab, web.URL, judge.Needs{})
	for i, id := range []string{"b", "a", "c", "d"} {
		_, err := devtools.Call(t.Context(), o.sessionOf(t, tab), runtime.Evaluate, runtime.EvaluateParams{Expression: id + ".click()", UserGesture: new(true)})
		need.OK(t, err)
		need.Until(t, "the download "+id, func() bool { return len(o.Downloads()) == i })
	}
	var got []string
	for _, d := range o.Downloads() {
		got = append(got, d.Name)
	}
	need.Equal(t, "names", []string{"a b.csv", "a b.csv", "own.txt"}, got)
}
