package observer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

// verdictOn judges the facts of a reading on a contract.
func verdictOn(t *testing.T, got Reading, tab, source string) judge.Judgement {
	t.Helper()
	c, faults := judge.Parse([]byte(source))
	need.Equal(t, "faults", 0, len(faults))
	return judge.Judge(c, judge.Input{
		Facts: got.Facts, SessionID: "s", Provenance: judge.Provenance{TargetID: tab}, Now: time.Now(), ClassesDir: t.TempDir(),
	})
}

type entry struct {
	Type, Message string
	Count         int
	Uncaught      bool
}

// consoleOf returns the entries of a reading's console fact.
func consoleOf(t *testing.T, r Reading) (entries []entry, truncated bool) {
	t.Helper()
	var facts []struct {
		Kind      string
		Entries   []entry
		Truncated bool
	}
	if err := json.Unmarshal(r.Facts.ContractFacts, &facts); err != nil || len(facts) != 1 || facts[0].Kind != "console" {
		t.Fatalf("contract facts %s, error %v", r.Facts.ContractFacts, err)
	}
	return facts[0].Entries, facts[0].Truncated
}

// The console is that of the whole episode: of all documents, iframes in other processes
// too, in the order of the messages.
func TestConsole(t *testing.T) {
	o, tab := observe(t)
	inner := serve(t, map[string]string{"/": `<script>console.log("inner"); onmessage = () => { null.x }</script>`})
	web := serve(t, map[string]string{
		"/": `<script>
			console.log("first", 1, -0, NaN, 12n, null, undefined, true, {a: 1}, [1], Symbol("x"), () => 1, new Error("boom"), "%s")
			console.warn("careful"); console.error("bad"); console.info("i"); console.debug("d"); console.assert(1 === 2, "assertion")
			for (let i = 0; i < 5; i++) console.log("same")
			setTimeout(() => { throw new TypeError("no\nlines") })
			setTimeout(() => { throw "text" })
			setTimeout(() => { Promise.reject({a: 1}) })
			setTimeout(() => { new Image().src = "/missing" })
		</script>`,
		"/second": `<iframe src="` + strings.Replace(inner.URL, "127.0.0.1", "inner.test", 1) + `/"></iframe>
			<script>console.log("same"); onload = () => { console.log = 0; frames[0].postMessage(1, "*"); Function.prototype.call = 0 }</script>`,
	})
	needs := judge.Needs{Console: true}
	navigate(t, o, tab, web.URL)
	r := Request{TabID: tab, Needs: needs, SessionID: "s"}
	first, _ := consoleOf(t, readWhen(t, o, r, func(r Reading) bool {
		entries, _ := consoleOf(t, r)
		return len(entries) == 11
	}))
	want := []entry{
		{"log", `first 1 0 NaN 12   true JSHandle@object JSHandle@array JSHandle@symbol JSHandle@function JSHandle@error %s`, 1, false},
		{"warn", "careful", 1, false},
		{"error", "bad", 1, false},
		{"info", "i", 1, false},
		{"debug", "d", 1, false},
		{"assert", "assertion", 1, false},
		{"log", "same", 5, false},
	}
	same := len(want) - 1
	need.Equal(t, "entries", want, first[:len(want)])
	later := map[entry]bool{}
	for _, e := range first[len(want):] {
		later[e] = true
	}
	wantLater := map[entry]bool{
		{"error", "Uncaught TypeError: no\nlines", 1, true}:                                                   true,
		{"error", "Uncaught text", 1, true}:                                                                   true,
		{"error", "Uncaught (in promise) Object", 1, true}:                                                    true,
		{"error", "Failed to load resource: the server responded with a status of 404 (Not Found)", 1, false}: true,
	}
	need.Equal(t, "errors", wantLater, later)

	navigate(t, o, tab, web.URL+"/second")
	got := readWhen(t, o, r, func(r Reading) bool {
		entries, _ := consoleOf(t, r)
		return strings.Contains(entries[len(entries)-1].Message, "null")
	})
	all, truncated := consoleOf(t, got)
	first[same].Count++
	want = append(first, entry{"log", "inner", 1, false}, entry{"error", "Uncaught TypeError: Cannot read properties of null (reading 'x')", 1, true})
	if diff := cmp.Diff(want, all); diff != "" || truncated {
		t.Errorf("after a navigation: truncated %v, entries (-want +got):\n%s", truncated, diff)
	}
	for source, verdict := range map[string]judge.Verdict{
		`{"kind":"console","schema_version":1,"type":"log","message_pattern":"^same$","op":"eq","value":6,"max_age_ms":10000}`: judge.Pass,
		`{"kind":"console","schema_version":1,"uncaught":true,"op":"eq","value":0,"max_age_ms":10000}`:                         judge.Fail,
	} {
		if j := verdictOn(t, got, tab, source); j.Verdict != verdict {
			t.Errorf("%s: %+v", source, j)
		}
	}
}

func TestConsoleIsBounded(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{
		"/many": `<script>for (let i = 0; i < 200; i++) console.log(i)</script>`,
		"/more": `<script>console.log("one more"); console.error("\ud800 ` + strings.Repeat("é", 2000) + `")</script>`,
		"/long": `<script>console.log("a".repeat(1025))</script>`,
	})
	needs := judge.Needs{Console: true}
	if got, truncated := consoleOf(t, open(t, o, tab, web.URL+"/many", needs)); len(got) != 200 || truncated {
		t.Errorf("200 messages: %d, truncated %v", len(got), truncated)
	}
	got := open(t, o, tab, web.URL+"/more", needs)
	if entries, truncated := consoleOf(t, got); len(entries) != 200 || !truncated {
		t.Errorf("202 messages: %d, truncated %v", len(entries), truncated)
	}
	if j := verdictOn(t, got, tab, `{"kind":"console","schema_version":1,"op":"eq","value":200,"max_age_ms":10000}`); j.Verdict != judge.Inconclusive {
		t.Errorf("judged %+v", j)
	}
	second := newTab(t, o, "about:blank")
	if entries, truncated := consoleOf(t, open(t, o, second, web.URL+"/long", needs)); len(entries) != 1 || len(entries[0].Message) != 1024 || !truncated {
		t.Errorf("a long message: %v, truncated %v", entries, truncated)
	}
}

func TestPerformance(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<p>Hello</p><script src=/x.js></script><script>
		performance.getEntriesByType = () => []; performance.now = () => 0; PerformanceEntry.prototype.toJSON = () => 0</script>`, "/x.js": ``})
	open(t, o, tab, web.URL, judge.Needs{Performance: true})
	r := Request{TabID: tab, SessionID: "s", Needs: judge.Needs{Performance: true}}
	got := readWhen(t, o, r, func(r Reading) bool { return bytes.Contains(r.Facts.ContractFacts, []byte("first-contentful-paint")) })
	for _, metric := range []struct{ name, unit, op, value string }{
		{"navigation.loadEventEnd", "ms", "gte", "1"},
		{"navigation.domInteractive", "ms", "lte", "60000"},
		{"navigation.redirectTime", "ms", "eq", "0"},
		{"paint.first-paint", "ms", "gte", "1"},
		{"paint.first-contentful-paint", "ms", "gte", "1"},
		{"puppeteer.Documents", "count", "gte", "1"},
		{"puppeteer.JSHeapUsedSize", "bytes", "gte", "1000"},
		{"puppeteer.ScriptDuration", "seconds", "lte", "60"},
		{"puppeteer.TaskDuration", "seconds", "gte", "0.0001"},
		{"resource.count", "count", "eq", "1"},
		{"resource.totalTransferSize", "bytes", "gte", "1"},
		{"resource.largestTransferSize", "bytes", "gte", "1"},
		{"resource.maxDuration", "ms", "gte", "0.001"},
	} {
		source := fmt.Sprintf(`{"kind":"performance","schema_version":1,"metric":%q,"unit":%q,"op":%q,"value":%s,"max_age_ms":10000}`, metric.name, metric.unit, metric.op, metric.value)
		if j := verdictOn(t, got, tab, source); j.Verdict != judge.Pass {
			t.Errorf("%s: %+v", metric.name, j)
		}
	}
}

func TestLiveNetwork(t *testing.T) {
	o, tab := observe(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			http.Redirect(w, r, "/page?x#y", http.StatusFound)
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, icon+`<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><script>
				(async () => { for (const url of ["/ok", "/missing", "http://127.0.0.1:1/"]) await fetch(url, {method: "POST"}).catch(() => {}); document.title = "done" })()
			</script>`)
		case "/missing":
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(web.Close)
	before := float64(time.Now().UnixMicro()) / 1000
	navigate(t, o, tab, web.URL)
	r := Request{TabID: tab, LiveWeb: true, Needs: judge.Needs{Network: true, Count: []string{"title"}}}
	got := readWhen(t, o, r, func(r Reading) bool { return r.Settled && r.Facts.DOMCount["title"] == 1 })
	var list []string
	for _, q := range got.Facts.Network {
		list = append(list, fmt.Sprint(strings.TrimPrefix(q.URL, web.URL), " ", q.Status))
		if q.TS < before-1000 || q.TS > float64(time.Now().UnixMilli()+1000) {
			t.Errorf("%s at %f, began at %f", q.URL, q.TS, before)
		}
	}
	want := []string{"/ 302", "/page?x#y 200", "/ok 200", "/missing 404", "http://127.0.0.1:1/ 0"}
	need.Equal(t, "requests", want, list)
	r.LiveWeb = false
	if got := readWhen(t, o, r, func(Reading) bool { return true }); got.Facts.Network != nil {
		t.Error("requests that nobody asked for")
	}
	o.mu.Lock()
	for range maxRequests + 1 - len(o.log.requests) {
		o.log.add("http://a.test/", 0)
	}
	o.mu.Unlock()
	r.LiveWeb = true
	got = readWhen(t, o, r, func(Reading) bool { return true })
	if len(got.Facts.Network) != maxRequests || !got.Facts.NetworkFull {
		t.Errorf("10,001 requests: %d, full %t", len(got.Facts.Network), got.Facts.NetworkFull)
	}
}

// Settled: nothing is under way, in no frame of the page either.
func TestSettled(t *testing.T) {
	o, tab := observe(t)
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if r.URL.Path != "/slow" {
			fmt.Fprint(w, icon+`<script>fetch("/slow")</script>`)
			return
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(slow.Close)
	web := serve(t, map[string]string{
		"/fetch":  `<script>fetch("` + slow.URL + `/slow")</script>`,
		"/iframe": `<iframe src="` + strings.Replace(slow.URL, "127.0.0.1", "other.test", 1) + `"></iframe>`,
		"/parse":  `<p>1</p>`,
	})
	r := Request{TabID: tab}
	for _, path := range []string{"/fetch", "/iframe"} {
		navigate(t, o, tab, web.URL+path)
		for began := time.Now(); time.Since(began) < 400*time.Millisecond; {
			if got := readWhen(t, o, r, func(Reading) bool { return true }); got.Settled {
				t.Fatalf("%s: settled while a request is under way", path)
			}
		}
		// The next document ends the requests of the last one.
		open(t, o, tab, web.URL+"/parse", judge.Needs{})
	}
	navigate(t, o, tab, web.URL+"/fetch")
	began := time.Now()
	close(release)
	readWhen(t, o, r, func(r Reading) bool { return r.Settled })
	if d := time.Since(began); d < settledAfter {
		t.Errorf("settled after %v", d)
	}
}

func TestLargePages(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{ // hidden: to lay this text out takes longer than to read it
		"/10": `<p hidden>` + strings.Repeat("ten bytes ", 1<<20) + `</p>`,
		"/40": `<p hidden></p><script>document.querySelector("p").textContent = "ten bytes ".repeat(4 << 20)</script>`,
		// Fewer than 32 Mi characters, but 3 bytes or more for each.
		"/ü": `<p hidden></p><script>document.querySelector("p").textContent = "€".repeat(11 << 20)</script>`,
	})
	needs := judge.Needs{Text: []string{"p"}}
	got := open(t, o, tab, web.URL+"/10", needs)
	if n := len(*got.Facts.DOMText.Of["p"]); n != 10<<20 {
		t.Errorf("read %d bytes", n)
	}
	for _, path := range []string{"/40", "/%C3%BC"} {
		navigate(t, o, tab, web.URL+path)
		ctx := need.Within(t, 30*time.Second)
		_, err := o.Read(ctx, Request{TabID: tab, Needs: needs})
		none, ok := errors.AsType[*NoPage](err)
		if !ok || none.Why != "its facts are too large: the answer is larger than 32 MiB" {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Half a surrogate pair becomes U+FFFD, as it does through a server's tools.
func TestLoneSurrogates(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<p>x</p><script>document.querySelector("p").textContent = "a\ud800b😀"</script>`})
	got := open(t, o, tab, web.URL, judge.Needs{Text: []string{"p", "p\xff"}})
	if text := *got.Facts.DOMText.Of["p"]; text != "a\ufffdb😀" {
		t.Errorf("%q", text)
	}
}

// An error of one fact makes that fact unavailable. Only the end of the page or of the
// browser, or a stop, ends the reading.
func TestOneFactIsUnavailable(t *testing.T) {
	for _, test := range []struct {
		err  error
		ends bool
	}{
		{nil, false},
		{devtools.ErrTooLarge, false},
		{&devtools.ProtocolError{Message: "cannot capture"}, false},
		{errors.New("our script failed in the page: x"), false},
		{context.DeadlineExceeded, false},
		{&NoPage{Why: tabCrashed}, true},
		{devtools.ErrGone, true},
		{context.Canceled, true},
	} {
		var f evidence.Facts
		err := new(Observer).withoutFact(t.Context(), new(tab), &f, evidence.FactScreenshot, test.err)
		need.Is(t, fmt.Sprintf("%v: error %v", test.err, err), test.ends, err != nil)
		if got := f.Unavailable != nil; got != (test.err != nil && !test.ends) {
			t.Errorf("%v: unavailable %v", test.err, f.Unavailable)
		}
	}
}

func TestOriginOf(t *testing.T) {
	for url, want := range map[string]string{
		"https://a.test/x?y#z": "https://a.test", "http://a.test:8080": "http://a.test:8080", "http://a.test?x": "http://a.test",
		"http://u:p@a.test/@b.test": "http://a.test", "https://a.test#@b.test": "https://a.test",
		"about:blank": "about", "data:text/html,//x.test/": "data", "": "",
	} {
		need.Is(t, url, want, originOf(url))
	}
}
