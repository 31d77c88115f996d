package launch

import (
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// Each server's answers, as measured, name these elements.
func TestRefs(t *testing.T) {
	need.Cases(t, "refs", func(t *testing.T, files map[string]string) string {
		refs := server.Named(path.Base(t.Name())).Answers.Refs
		var got []string
		for _, m := range refs.FindAllStringSubmatch(files["answer"], -1) {
			got = append(got, m[refs.SubexpIndex("role")]+` "`+m[refs.SubexpIndex("name")]+`" `+m[refs.SubexpIndex("ref")])
		}
		return strings.Join(got, "\n")
	})
}

// Peers list the open tabs and mark the current one.
func TestCurrentTab(t *testing.T) {
	for _, test := range []struct {
		name   string
		server *server.Server
		answer string
		want   [2]int // position, number of tabs
	}{
		{"Playwright, one tab", server.Named("playwright-mcp"), "### Page\n- Page URL: https://x.test/\n- Page Title: 1: (current) [a](b)", [2]int{-1, 0}},
		{"Playwright", server.Named("playwright-mcp"), "### Result\n- 0: [T](https://x.test/)\n- 1: (current) [](about:blank)", [2]int{1, 2}},
		{"Playwright, with a title like a mark", server.Named("playwright-mcp"), "### Open tabs\n- 0: (current) [T](https://x.test/)\n- 1: [(current) ](u) [x](about:blank)\n### Page", [2]int{0, 2}},
		{"DevTools", server.Named("chrome-devtools-mcp"), "Done.\n## Pages\n1: T (https://x.test/) [selected]\n4: Z (https://x.test/(a))\n", [2]int{0, 2}},
		{"DevTools, in a context of its own", server.Named("chrome-devtools-mcp"), "## Pages\n1: T (https://x.test/)\n2: T (https://x.test/) [selected] isolatedContext=a", [2]int{1, 2}},
		{"DevTools, with a title like a mark", server.Named("chrome-devtools-mcp"), "## Pages\n1: T (a) [selected] (https://x.test/)\n2: T (https://x.test/) [selected]", [2]int{1, 2}},
		{"DevTools, without a title", server.Named("chrome-devtools-mcp"), "## Pages\n1: https://x.test/ [selected]\n2: https://x.test/(a)", [2]int{0, 2}},
		{"DevTools, with a title like a context", server.Named("chrome-devtools-mcp"), "## Pages\n1: T isolatedContext=a (https://x.test/) [selected]\n2: T (https://x.test/)", [2]int{0, 2}},
		{"OpenChrome", server.OpenChrome(), "1: T (a) [selected]", [2]int{-1, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if index, n := test.server.CurrentTab(test.answer); index != test.want[0] || n != test.want[1] {
				t.Errorf("got tab %d of %d, want %d of %d", index, n, test.want[0], test.want[1])
			}
		})
	}
}

func launchToy(t *testing.T, set *web.Set, ca *serve.CA) session.Session {
	t.Helper()
	needChromium(t)
	need.Program(t, "node")
	dir, err := filepath.Abs(filepath.Join("testdata", "toy"))
	need.OK(t, err)
	toy, err := server.Open(filepath.Join(dir, "description.json"))
	need.OK(t, err)
	l, err := NewLocal(t.Context(), LocalOptions{Server: toy, Package: dir, Sites: set, CA: ca})
	need.OK(t, err)
	t.Cleanup(func() { l.Close() })
	return launch(t, l)
}

// In a network with only a loopback interface, pages see a browser that is online.
func TestPagesAreOnline(t *testing.T) {
	set, ca := probeSites(t, `document.title = "online: " + navigator.onLine`)
	s := launchToy(t, set, ca)
	need.OK(t, need.Err(s.Call(t.Context(), s.Server().Opening("https://probe.test/"))))
	ctx := need.Within(t, 20*time.Second)
	for tabs := ""; !strings.Contains(tabs, "online: true"); {
		r, err := s.Call(ctx, adapter.Call{Tool: "title"})
		if err != nil || strings.Contains(tabs, "online: false") {
			t.Fatalf("%s: %v, server %s", tabs, err, s.Identity().Confinement)
		}
		tabs = r.Text()
	}
}

// A fourth server needs its description only: the launcher starts and attaches it, it connects
// before the clock starts, and the observer knows the tab that it opened.
func TestFourthServer(t *testing.T) {
	set, ca := testWeb(t)
	s := launchToy(t, set, ca)
	need.Is(t, "the session's server", "toy", s.Server().Name)
	need.OK(t, need.Err(facts.Prepare(t.Context(), s, task.Setup{})))
	began := time.Now()
	if r, err := s.Call(t.Context(), s.Server().Opening("https://example.com/")); err != nil || r.IsError() {
		t.Fatalf("open: %v, %s", err, r.Text())
	}
	ctx := need.Within(t, 20*time.Second)
	for s.Observer().Tab(began) == "" && ctx.Err() == nil {
		need.OK(t, s.Ping(ctx))
	}
	if s.Observer().Tab(began) == "" {
		t.Error("the observer does not know the tab that the server opened")
	}
	r, err := s.Call(t.Context(), adapter.Call{Tool: "count"})
	if err != nil || !strings.Contains(r.Text(), "calls 3, home ") {
		t.Errorf("count: %v, %s", err, r.Text())
	}
}
