package observer

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/contract"
)

// hostile are pages that tamper with how they are read. Each really has the state "Open",
// one li and its own URL, if want does not say otherwise.
var hostile = []struct {
	name string
	html string // after the state and the list
	want seen
	// naive: our reading in the page's own world would be wrong. Pages without it
	// tamper with something else that a reader might use.
	naive bool
}{
	{name: "JSON.stringify forges", naive: true, html: `<script>JSON.stringify = () => '{"url":"https://forged.test/","text":{"#state":"Saved"},"count":{"li":9}}'</script>`},
	{name: "JSON.stringify gives nothing", naive: true, html: `<script>JSON.stringify = () => "{}"</script>`},
	{name: "no JSON", naive: true, html: `<script>JSON = undefined</script>`},
	{name: "JSON is a Proxy", naive: true, html: `<script>JSON = new Proxy(JSON, {get: (o, k) => k === "stringify" ? v => o.stringify({...v, text: {"#state": "Saved"}}) : o[k]})</script>`},
	{name: "Object.prototype.toJSON", naive: true, html: `<script>Object.prototype.toJSON = function () { return {url: "https://forged.test/", text: {"#state": "Saved"}, count: {li: 9}} }</script>`},
	{name: "String.prototype.toJSON", html: `<script>String.prototype.toJSON = () => "Saved"</script>`},
	{name: "Number.prototype.toJSON", html: `<script>Number.prototype.toJSON = () => 9</script>`},
	{name: "Object.prototype accessors", html: `<script>for (const k of ["url", "text", "count", "value", "error", "get", "loaded"]) Object.defineProperty(Object.prototype, k, {get: () => "Saved", set() {}})</script>`},
	{name: "Object.create", naive: true, html: `<script>Object.create = () => Object.freeze({"#state": "Saved", li: 9})</script>`},
	{name: "Object.getOwnPropertyDescriptor", html: `<script>Object.getOwnPropertyDescriptor = () => ({get: () => "Saved"})</script>`},
	{name: "document.querySelector", naive: true, html: `<script>document.querySelector = () => ({innerText: "Saved"})</script>`},
	{name: "Document.prototype.querySelector", naive: true, html: `<script>Document.prototype.querySelector = () => ({innerText: "Saved"})</script>`},
	{name: "querySelector is a Proxy", naive: true, html: `<script>document.querySelector = new Proxy(document.querySelector, {apply: () => ({innerText: "Saved"})})</script>`},
	{name: "querySelectorAll", naive: true, html: `<script>document.querySelectorAll = () => Array(9)</script>`},
	{name: "NodeList.prototype.length", naive: true, html: `<script>Object.defineProperty(NodeList.prototype, "length", {get: () => 9})</script>`},
	{name: "innerText", naive: true, html: `<script>Object.defineProperty(HTMLElement.prototype, "innerText", {get: () => "Saved"})</script>`},
	{name: "innerText of one element", naive: true, html: `<script>Object.defineProperty(state, "innerText", {get: () => "Saved"})</script>`},
	{name: "textContent", html: `<script>Object.defineProperty(Node.prototype, "textContent", {get: () => "Saved"})</script>`},
	{name: "getComputedStyle", html: `<script>getComputedStyle = () => ({display: "none"})</script>`},
	{name: "instanceof", html: `<script>Object.defineProperty(HTMLElement, Symbol.hasInstance, {value: () => false})</script>`},
	{name: "no-op forEach", naive: true, html: `<script>Array.prototype.forEach = () => {}</script>`},
	{name: "no-op map", html: `<script>Array.prototype.map = () => []</script>`},
	{name: "call and apply", html: `<script>Function.prototype.call = Function.prototype.apply = () => ({innerText: "Saved"})</script>`},
	{name: "Promise", html: `<script>Promise = Promise.prototype.then = undefined</script>`},
	{name: "performance and console", html: `<script>performance.getEntriesByType = () => { throw 1 }; console.log = () => { throw 1 }</script>`},
	{name: "img name=querySelector", naive: true, html: `<img name=querySelector><img name=querySelectorAll>`},
	{name: "img name=readyState", html: `<img name=readyState><img name=body><img name=title>`},
	{name: "frames named as globals", html: `<iframe name=JSON></iframe><iframe name=HTMLElement></iframe><iframe name=Document></iframe><a id=location></a><a id=document></a>`},
	{name: "input name=innerText", naive: true, want: seen{State: "In a form", Count: 1},
		html: `<script>state.outerHTML = "<form id=state>In a form<input type=hidden name=innerText value=Saved></form>"</script>`},
	{name: "another document.URL", html: `<script>Object.defineProperty(document, "URL", {get: () => "https://forged.test/"}); try { Object.defineProperty(window, "location", {value: {href: "https://forged.test/"}}) } catch {}</script>`},
	{name: "base", html: `<base href="https://forged.test/">`},
	{name: "pushState", want: seen{"/really/here?a#b", "Open", 1}, html: `<script>history.pushState(null, "", "/really/here?a#b")</script>`},
	{name: "document.write after load", want: seen{State: "Written", Count: 2},
		html: `<script>onload = () => setTimeout(() => { document.write("<p id=state>Written</p><li>1<li>2"); document.close() })</script>`},
	{name: "DOM changed by a script", want: seen{State: "Saved", Count: 0}, html: `<script>state.textContent = "Saved"; document.querySelector("ul").remove()</script>`},
	{name: "iframe over the page", html: `<iframe style="position:fixed;inset:0;width:100%;height:100%" srcdoc="<p id=state>Saved</p><li>1<li>2"></iframe>`},
	{name: "shadow DOM over the page", html: `<div id=host></div><script>host.attachShadow({mode: "open"}).innerHTML = "<p id=state>Saved</p><li>1<li>2"</script>`},
	{name: "unload rewrites the page before", html: `<script>onpagehide = onunload = () => { state.textContent = "Saved" }</script>`},
	{name: "beforeunload", html: `<script>onbeforeunload = e => { e.preventDefault(); return "stay" }</script>`},
}

// seen is what a test looks at.
type seen struct {
	Path  string
	State string
	Count float64
}

func TestHostilePages(t *testing.T) {
	pages := map[string]string{}
	for _, page := range hostile {
		pages["/"+page.name] = `<p id=state>Open</p><ul><li>1</ul>` + page.html
	}
	o, tab := observe(t)
	web := serve(t, pages)
	needs := contract.Needs{Text: []string{"#state"}, Count: []string{"li"}}
	fooled := 0
	for _, page := range hostile {
		t.Run(page.name, func(t *testing.T) {
			want := page.want
			path := "/" + strings.ReplaceAll(page.name, " ", "%20")
			if want == (seen{}) {
				want = seen{State: "Open", Count: 1}
			}
			if want.Path == "" {
				want.Path = path
			}
			r := open(t, o, tab, web.URL+path, needs)
			if diff := cmp.Diff(want, look(r, web.URL)); diff != "" {
				t.Errorf("(-the page +the facts):\n%s", diff)
			}
			naive := naiveReading(t, o, tab, web.URL)
			if wrong := naive != want; wrong != page.naive {
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
	r, err := call(t.Context(), o.session(t, tab), runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: new(true)})
	if err != nil {
		t.Fatal(err)
	}
	var raw string
	if r.Result == nil || unmarshal(r.Result.Value, &raw) != nil {
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
	r := Request{TabID: tab, Needs: contract.Needs{Text: []string{"#a", "#b"}}}
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
	needs := contract.Needs{Text: []string{"#state"}}
	state := func(r Reading) string { return look(r, "").State }
	if got := open(t, o, tab, web.URL, needs); state(got) != "From the server" {
		t.Errorf("first: %s", state(got))
	}
	readWhen(t, o, Request{TabID: tab, Needs: contract.Needs{Count: []string{"title"}}}, func(r Reading) bool { return r.Facts.DOMCount["title"] == 1 })
	if got := open(t, o, tab, web.URL+"/again", needs); state(got) != "From the worker" || *got.Facts.URL != web.URL+"/again" {
		t.Errorf("again: %s at %s", state(got), *got.Facts.URL)
	}
}
