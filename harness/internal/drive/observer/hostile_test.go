package observer

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
)

// hostilePage is a page of testdata/hostile.json that tampers with how it is read. The
// tests of package harness open them with real servers.
type hostilePage struct {
	Name string
	HTML string // after the state and the list
	// What the page really is; empty: it has its own path, the state "Open" and one li.
	Path  string
	State string
	Count *float64
	// Naive: our reading in the page's own world would be wrong. Pages without it
	// tamper with something else that a reader might use.
	Naive bool
}

func hostilePages(t *testing.T) (pages []hostilePage) {
	t.Helper()
	raw, err := os.ReadFile("testdata/hostile.json")
	if err == nil {
		err = json.Unmarshal(raw, &pages)
	}
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, error %v", len(pages), err)
	}
	return pages
}

// seen is what a test looks at.
type seen struct {
	Path  string
	State string
	Count float64
}

func TestHostilePages(t *testing.T) {
	hostile := hostilePages(t)
	pages := map[string]string{}
	for _, page := range hostile {
		pages["/"+page.Name] = `<p id=state>Open</p><ul><li>1</ul>` + page.HTML
	}
	o, tab := observe(t)
	web := serve(t, pages)
	needs := judge.Needs{Text: []string{"#state"}, Count: []string{"li"}}
	fooled := 0
	for _, page := range hostile {
		t.Run(page.Name, func(t *testing.T) {
			path := "/" + strings.ReplaceAll(page.Name, " ", "%20")
			want := seen{Path: cmp.Or(page.Path, path), State: cmp.Or(page.State, "Open"), Count: 1}
			if page.Count != nil {
				want.Count = *page.Count
			}
			r := open(t, o, tab, web.URL+path, needs)
			if diff := gocmp.Diff(want, look(r, web.URL)); diff != "" {
				t.Errorf("(-the page +the facts):\n%s", diff)
			}
			naive := naiveReading(t, o, tab, web.URL)
			if wrong := naive != want; wrong != page.Naive {
				t.Errorf("read in its own world: %+v, wrong: %v", naive, wrong)
			} else if wrong {
				fooled++
			}
		})
	}
	if fooled < 15 {
		t.Errorf("only %d pages forge a naive reading", fooled)
	}
}

func look(r Reading, base string) seen {
	s := seen{Count: r.Facts.DOMCount["li"]}
	s.Path = strings.TrimPrefix(*r.Facts.URL, base)
	if text := r.Facts.DOMText.Of["#state"]; text != nil {
		s.State = *text
	}
	return s
}

// naiveReading reads as the harness did before it had an observer: in the page's own world.
func naiveReading(t *testing.T, o *Observer, tab, base string) (s seen) {
	t.Helper()
	const expression = `JSON.stringify(((o, read) => (` +
		`["#state"].forEach(s => read("dom_text " + s, () => { o.text[s] = (e => e ? e.innerText ?? null : null)(document.querySelector(s)) })), ` +
		`["li"].forEach(s => read("dom_count " + s, () => { o.count[s] = document.querySelectorAll(s).length })), o))` +
		`(...(o => [o, (name, f) => { try { f() } catch (e) { o.errors[name] = e.message } }])` +
		`({url: location.href, text: Object.create(null), count: Object.create(null), errors: Object.create(null)})))`
	r, err := devtools.Call(t.Context(), o.sessionOf(t, tab), runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: new(true)})
	need.OK(t, err)
	var raw string
	if r.Result == nil || devtools.Unmarshal(r.Result.Value, &raw) != nil {
		return s
	}
	var page struct {
		URL   string
		Text  map[string]string
		Count map[string]float64
	}
	json.Unmarshal([]byte(raw), &page)
	return seen{strings.TrimPrefix(page.URL, base), page.Text["#state"], page.Count["li"]}
}

// What a page's scripts change while it is read never shows by halves: the two
// elements always have the same text, but for moments within one task.
func TestPageThatChangesWhileItIsRead(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<p id=a>0</p><p id=b>0</p><script>
		let n = 0
		new MutationObserver(() => { b.textContent = a.textContent }).observe(a, {childList: true, characterData: true, subtree: true})
		setInterval(() => { a.textContent = ++n }, 0)
	</script>`})
	r := Request{TabID: tab, Needs: judge.Needs{Text: []string{"#a", "#b"}}}
	navigate(t, o, tab, web.URL)
	values := map[string]bool{}
	for len(values) < 5 {
		got := readWhen(t, o, r, func(Reading) bool { return true })
		a, b := got.Facts.DOMText.Of["#a"], got.Facts.DOMText.Of["#b"]
		if a == nil || b == nil {
			continue // not parsed yet
		}
		if *a != *b {
			t.Fatalf("read %s and %s", *a, *b)
		}
		values[*a] = true
	}
}

// A service worker answers for the site: its page is the page.
func TestServiceWorker(t *testing.T) {
	o, tab := observe(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/worker.js" {
			w.Header().Set("Content-Type", "text/javascript")
			w.Write([]byte(`onfetch = e => e.respondWith(new Response("<link rel=icon href=data:,><p id=state>From the worker</p>", {headers: {"Content-Type": "text/html"}}));
				oninstall = () => skipWaiting(); onactivate = e => e.waitUntil(clients.claim())`))
			return
		}
		w.Write([]byte(icon + `<p id=state>From the server</p><script>navigator.serviceWorker.register("/worker.js"); navigator.serviceWorker.ready.then(() => { document.title = "ready" })</script>`))
	}))
	t.Cleanup(web.Close)
	needs := judge.Needs{Text: []string{"#state"}}
	state := func(r Reading) string { return look(r, "").State }
	if got := open(t, o, tab, web.URL, needs); state(got) != "From the server" {
		t.Errorf("first: %s", state(got))
	}
	readWhen(t, o, Request{TabID: tab, Needs: judge.Needs{Count: []string{"title"}}}, func(r Reading) bool { return r.Facts.DOMCount["title"] == 1 })
	if got := open(t, o, tab, web.URL+"/again", needs); state(got) != "From the worker" || *got.Facts.URL != web.URL+"/again" {
		t.Errorf("again: %s at %s", state(got), *got.Facts.URL)
	}
}
