package observer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

func TestDialog(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{
		"/alert":   `<p>Before</p><script>setTimeout(() => { alert("Really?"); document.querySelector("p").textContent = "After" })</script>`,
		"/confirm": `<p>Before</p><script>document.querySelector("p").textContent = confirm("Sure?")</script>`,
		"/prompt":  `<p>Before</p><script>document.querySelector("p").textContent = prompt("` + strings.Repeat("ü", 2000) + `")</script>`,
		"/later":   `<p>Quiet</p>`,
	})
	r := Request{TabID: tab, Needs: judge.Needs{Text: []string{"p"}}}
	text := func(r Reading) string { return *r.Facts.DOMText.Of["p"] }

	navigate(t, o, tab, web.URL+"/alert")
	got := readWhen(t, o, r, func(r Reading) bool { return text(r) == "After" })
	want := []record.Dialog{{Kind: "alert", Message: "Really?", Open: true}}
	if diff := cmp.Diff(want, got.Dialogs); diff != "" || !got.Facts.HasOpenDialog || got.Facts.OpenDialog != `alert "Really?"` {
		t.Errorf("alert: open %v, dialogs (-want +got):\n%s", got.Facts.HasOpenDialog, diff)
	}
	// It stays true in the next documents.
	got = open(t, o, tab, web.URL+"/later", r.Needs)
	if diff := cmp.Diff(want, got.Dialogs); diff != "" || !got.Facts.HasOpenDialog {
		t.Errorf("later: open %v, dialogs (-want +got):\n%s", got.Facts.HasOpenDialog, diff)
	}

	navigate(t, o, tab, web.URL+"/confirm")
	got = readWhen(t, o, r, func(r Reading) bool { return text(r) != "Before" })
	need.Is(t, "confirm gave", "false", text(got))
	navigate(t, o, tab, web.URL+"/prompt")
	got = readWhen(t, o, r, func(r Reading) bool { return text(r) != "Before" })
	want = append(want, record.Dialog{Kind: "confirm", Message: "Sure?", Open: true}, record.Dialog{Kind: "prompt", Message: strings.Repeat("ü", 512), Open: true})
	need.Equal(t, "dialogs", want, got.Dialogs)
}

// A dialog that the server handles itself was not open when facts were read.
func TestDialogThatTheServerHandles(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<p>Before</p><script>document.querySelector("p").textContent = confirm("Sure?")</script>`})
	navigate(t, o, tab, web.URL)
	accept := func() error {
		_, err := devtools.Call(t.Context(), o.sessionOf(t, tab), page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		return err
	}
	for accept() != nil && t.Context().Err() == nil { // until it is open
	}
	got := readWhen(t, o, Request{TabID: tab, Needs: judge.Needs{Text: []string{"p"}}}, func(r Reading) bool { return *r.Facts.DOMText.Of["p"] != "Before" })
	if *got.Facts.DOMText.Of["p"] != "true" || got.Facts.HasOpenDialog {
		t.Errorf("confirm gave %s, open: %v", *got.Facts.DOMText.Of["p"], got.Facts.HasOpenDialog)
	}
	need.Equal(t, "dialogs", []record.Dialog{{Kind: "confirm", Message: "Sure?"}}, got.Dialogs)
}

func TestEndlessDialogs(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<script>while (true) alert("again")</script>`})
	navigate(t, o, tab, web.URL)
	ctx := need.Within(t, time.Second)
	got, err := o.Read(ctx, Request{TabID: tab})
	none, ok := errors.AsType[*NoPage](err)
	if !ok || none.Why != "the page does not answer" || none.URL != web.URL+"/" {
		t.Errorf("error %+v", err)
	}
	if len(got.Dialogs) == 0 || len(got.Dialogs) > maxDialogs || !got.Dialogs[0].Open {
		t.Errorf("dialogs %+v", got.Dialogs)
	}
}

// A dialog that leaving the page opens.
func TestBeforeUnload(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<p>Stay</p><script>onbeforeunload = e => { e.preventDefault() }</script>`, "/away": "<p>Away</p>"})
	r := Request{TabID: tab, Needs: judge.Needs{Text: []string{"p"}}}
	open(t, o, tab, web.URL, r.Needs)
	s := o.sessionOf(t, tab)
	need.OK(t, need.Err(devtools.Call(t.Context(), s, runtime.Evaluate, runtime.EvaluateParams{Expression: "1", UserGesture: new(true)})))
	go devtools.Call(t.Context(), s, page.Navigate, page.NavigateParams{URL: web.URL + "/away"})
	got := readWhen(t, o, r, func(r Reading) bool { return len(r.Dialogs) > 0 && r.Facts.HasOpenDialog })
	if *got.Facts.DOMText.Of["p"] != "Stay" || got.Dialogs[0].Kind != "beforeunload" {
		t.Errorf("text %q, dialogs %+v", *got.Facts.DOMText.Of["p"], got.Dialogs)
	}
}

func TestNoPage(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{
		"/":     `<p>Hello</p>`,
		"/hang": `<p>Hello</p><script>setTimeout(() => { while (true); })</script>`,
	})
	read := func(id string, within time.Duration) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		_, err := o.Read(ctx, Request{TabID: id})
		none, ok := errors.AsType[*NoPage](err)
		if !ok {
			t.Fatalf("error %v", err)
		}
		return none.Why + " at " + none.URL
	}
	is := func(what, got, want string) {
		t.Helper()
		need.Is(t, what, want, got)
	}
	is("no tab", read("", time.Minute), "no tab was opened at ")
	is("unknown tab", read("A\x1b", time.Minute), `no such tab: A\x1b at `)
	navigate(t, o, tab, "data:text/html,x")
	s := o.sessionOf(t, tab)
	devtools.Call(t.Context(), s, page.Navigate, page.NavigateParams{URL: "http://127.0.0.1:1/"})
	is("error page", read(tab, time.Minute), "the tab shows the browser's error page at chrome-error://chromewebdata/")
	navigate(t, o, tab, "chrome://version/")
	is("browser's page", read(tab, time.Minute), "the tab shows a page of the browser itself, chrome://version/ at chrome://version/")

	open(t, o, tab, web.URL, judge.Needs{})
	hung := newTab(t, o, web.URL+"/hang")
	waitFor(t, func() bool {
		ctx := need.Within(t, 300*time.Millisecond)
		_, err := o.Read(ctx, Request{TabID: hung})
		return err != nil && err.Error() == "the page does not answer"
	})
	is("hanging page", read(hung, 100*time.Millisecond), "the page does not answer at "+web.URL+"/hang")

	// It crashes while it is read, and after.
	reading := make(chan string, 1)
	go func() { reading <- read(hung, time.Minute) }()
	go s.Call(t.Context(), "Page.crash", cdp.Empty{}, &cdp.Empty{})
	is("crashed tab", waitNoPage(t, o, tab), "the tab crashed at "+web.URL+"/")
	if got := open(t, o, tab, web.URL, judge.Needs{}); got.Facts == nil {
		t.Error("a crashed tab that loads another document stays crashed")
	}

	closeTab(t, o, hung)
	is("closed while it is read", <-reading, "the tab is closed at "+web.URL+"/hang")
	is("closed tab", read(hung, time.Minute), "the tab is closed at "+web.URL+"/hang")
}

// With a dialog open, or without a tab, there are no words, and nobody waits for them.
func TestWordsOfSilentPages(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<p>Some words</p><script>setTimeout(() => alert("no answer"))</script>`})
	navigate(t, o, tab, web.URL)
	waitFor(t, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.find(tab).open != nil
	})
	began := time.Now()
	if words := o.Words(t.Context(), tab); words != nil {
		t.Errorf("with a dialog open: %v", words)
	}
	if picture := o.Picture(t.Context(), tab); picture != nil {
		t.Errorf("with a dialog open: a picture of %d bytes", len(picture))
	}
	if _, err := o.Read(t.Context(), Request{TabID: tab}); err != nil { // it dismisses the dialog
		t.Fatal(err)
	}
	if words := o.Words(t.Context(), tab); len(words) != 2 {
		t.Errorf("without it: %v", words)
	}
	newTab(t, o, "about:blank")
	closeTab(t, o, tab)
	if words := o.Words(t.Context(), tab); words != nil {
		t.Errorf("of a closed tab: %v", words)
	}
	if took := time.Since(began); took > pageLimit*3/4 { // one that waits takes pageLimit
		t.Errorf("took %v", took)
	}
}
