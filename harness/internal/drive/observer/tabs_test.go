package observer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// Tab is the page that was opened or began to load last; a popup is one too, and what a
// page does in itself is no other document.
func TestTab(t *testing.T) {
	o, first := observe(t)
	web := serve(t, map[string]string{
		"/":      `<p>Opener</p>`,
		"/popup": `<p>Popup</p><script>console.log("from the popup")</script>`,
	})
	since := func(at time.Time, want string) {
		t.Helper()
		need.Is(t, "", want, o.Tab(at))
	}
	start := time.Now()
	open(t, o, first, web.URL, judge.Needs{})
	since(start, first)

	quiet := time.Now()
	run := func(tab, code string) {
		t.Helper()
		need.OK(t, need.Err(devtools.Call(t.Context(), o.sessionOf(t, tab), runtime.Evaluate, runtime.EvaluateParams{Expression: code, UserGesture: new(true)})))
	}
	run(first, `history.pushState(null, "", "/pushed"); location.hash = "x"; document.querySelector("p").textContent = "Changed"`)
	since(quiet, "")

	run(first, `void open("/popup")`)
	waitFor(t, func() bool { return o.Tab(quiet) != "" })
	popup := o.Tab(quiet)
	if popup == first {
		t.Error("the popup is not seen")
	}
	r := Request{TabID: popup, SessionID: "s", Needs: judge.Needs{Text: []string{"p"}, Console: true}}
	got := readWhen(t, o, r, func(r Reading) bool { return r.Settled && *r.Facts.URL == web.URL+"/popup" })
	need.Is(t, "popup", "Popup", *got.Facts.DOMText.Of["p"])
	if entries, _ := consoleOf(t, got); len(entries) != 1 {
		t.Errorf("the popup's console: %v", entries)
	}

	again := time.Now()
	run(first, `location.reload()`)
	waitFor(t, func() bool { return o.Tab(again) == first })
	closeTab(t, o, first)
	waitFor(t, func() bool { return o.Tab(again) != first })
	since(start, popup)
	for tab, want := range map[string]bool{first: true, popup: false, "no tab": false} {
		need.Is(t, fmt.Sprintf("%s is closed", tab), want, o.Closed(tab))
	}
}

func TestBrowserEnds(t *testing.T) {
	pipe, kill := startBrowser(t)
	o := attach(t, pipe)
	o.mu.Lock()
	tab := string(o.tabs[0].id)
	o.mu.Unlock()
	web := serve(t, map[string]string{"/": `<p>x</p>`})
	open(t, o, tab, web.URL, judge.Needs{})
	reading := make(chan error, 1)
	go func() {
		for {
			if _, err := o.Read(t.Context(), Request{TabID: tab}); err != nil {
				reading <- err
				return
			}
		}
	}()
	kill()
	<-o.Done()
	if err := <-reading; !errors.Is(err, devtools.ErrGone) {
		t.Errorf("a reading ends with %v", err)
	}
	if got := o.Scene(t.Context(), tab); got.Missing != "text: the browser has ended; screenshot: the browser has ended" || got.URL != web.URL+"/" {
		t.Errorf("scene %+v", got)
	}
	need.OK(t, o.Close())
}

// Whoever cancels a reading gets that back.
func TestReadIsCancelled(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<script>setTimeout(() => { while (true); })</script>`})
	navigate(t, o, tab, web.URL)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	for {
		_, err := o.Read(ctx, Request{TabID: tab})
		if err == nil {
			continue
		}
		need.Is(t, "error", context.Canceled, err)
		return
	}
}

func TestScene(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<title>A title</title><body><p>Visible</p><p hidden>Hidden</p><img name=title><img src=/missing>
		<script>alert("hello"); console.error("bad"); console.log("good"); null.x</script>`, "/large": `<pre></pre><script>
		document.querySelector("pre").textContent = "ü\ud800".repeat(100000); document.title = "t".repeat(5000); for (let i = 0; i < 60; i++) console.error(i, "é".repeat(4000))</script>`})
	navigate(t, o, tab, web.URL)
	readWhen(t, o, Request{TabID: tab}, func(r Reading) bool { return r.Settled })
	got := o.Scene(t.Context(), tab)
	want := Scene{
		URL: web.URL + "/", Title: "A title", Text: "Visible",
		Dialogs:  []record.Dialog{{Kind: "alert", Message: "hello", Open: true}},
		Console:  []string{"Failed to load resource: the server responded with a status of 404 (Not Found)", "bad", "Uncaught TypeError: Cannot read properties of null (reading 'x')"},
		Requests: []string{"GET " + web.URL + "/missing: status 404"},
	}
	isPNG := len(got.PNG) > 1000 && string(got.PNG[1:4]) == "PNG"
	got.PNG = nil
	slices.Sort(got.Console)
	slices.Sort(want.Console)
	if diff := cmp.Diff(want, got); diff != "" || !isPNG {
		t.Errorf("PNG %v, scene (-want +got):\n%s", isPNG, diff)
	}
	open(t, o, tab, web.URL+"/large", judge.Needs{})
	got = o.Scene(t.Context(), tab)
	if len(got.Text) > maxSceneText || len(got.Text) < maxSceneText-8 || len(got.Title) != 1024 || len(got.Console) != 50 {
		t.Errorf("%d bytes of text, %d of the title, %d errors", len(got.Text), len(got.Title), len(got.Console))
	}
	for _, line := range got.Console {
		if len(line) > maxText {
			t.Errorf("an error of %d bytes", len(line))
		}
	}
	if got := o.Scene(t.Context(), "none"); got.Missing != "no such tab: none" {
		t.Errorf("no tab: %+v", got)
	}
}

// Whatever a page does by itself is seen: a request, a navigation, another tab.
func TestActive(t *testing.T) {
	for name, script := range map[string]string{
		"a request":               `fetch("/other")`,
		"a navigation":            `location = "/other"`,
		"another tab":             `window.open("about:blank")`,
		"a tab without an opener": `window.open("/other", "", "noopener")`,
	} {
		t.Run(name, func(t *testing.T) {
			o, tab := observe(t)
			web := serve(t, map[string]string{"/": "here", "/other": "other"})
			open(t, o, tab, web.URL+"/", judge.Needs{})
			before := o.Active()
			do(t, o, tab, "setTimeout(() => "+script+")")
			waitFor(t, func() bool { return o.Active().After(before) })
		})
	}
}

// Chromium leaves calls to a page that closes without an answer. Nothing waits for them.
func TestClosedTabsLeaveNothing(t *testing.T) {
	o, _ := observe(t)
	web := serve(t, map[string]string{"/": `<iframe src="/frame"></iframe>x`, "/frame": "frame"})
	for range 10 {
		closeTab(t, o, newTab(t, o, web.URL))
	}
	waitFor(t, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return len(o.sessions) == 1 && o.conn.Waiting() == 0
	})
}
