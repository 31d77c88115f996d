package observer

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestAttach(t *testing.T) {
	o, tab := observe(t)
	if v := o.Version(); !strings.Contains(v, "Chrome/") {
		t.Errorf("version %q", v)
	}
	_, err := o.Read(t.Context(), Request{TabID: tab})
	if want := "the tab shows a blank page, about:blank"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	web := serve(t, map[string]string{"/": `<h1>Hello</h1><li>a<li>b<svg><text id=s>x</text></svg>`})
	began := time.Now()
	needs := judge.Needs{Text: []string{"#s", "body", "h1", "li[", "nav"}, Count: []string{"h1", "li", "nav", "p:::x"}}
	got := open(t, o, tab, web.URL+"/", needs)
	url, h1, body := web.URL+"/", "Hello", "Hello\na\nb\nx"
	want := &evidence.Facts{
		URL:      &url,
		DOMText:  &evidence.Text{Of: map[string]*string{"#s": nil, "body": &body, "h1": &h1, "nav": nil}},
		DOMCount: map[string]float64{"h1": 1, "li": 2, "nav": 0},
		Unavailable: map[string]string{
			"dom_text li[":    "Failed to execute 'querySelector' on 'Document': 'li[' is not a valid selector.",
			"dom_count p:::x": "Failed to execute 'querySelectorAll' on 'Document': 'p:::x' is not a valid selector.",
		},
	}
	need.Equal(t, "facts", want, got.Facts)
	if last := o.Tab(began); last != tab {
		t.Errorf("Tab(since the navigation) is %q, want %q", last, tab)
	}
	if last := o.Tab(time.Now()); last != "" {
		t.Errorf("Tab(since now) is %q", last)
	}
	select {
	case <-o.Done():
		t.Fatal("done while the browser runs")
	default:
	}
	o.Close()
	<-o.Done()
	// A browser that ends may close its tabs first.
	_, err = o.Read(t.Context(), Request{TabID: tab})
	if closed, ok := errors.AsType[*NoPage](err); err != devtools.ErrGone && (!ok || closed.Why != tabClosed) {
		t.Errorf("after Close: %v, want %v", err, devtools.ErrGone)
	}
}

// On a busy machine the answer about a page is looked at after an event that came behind it.
func TestLateAnswer(t *testing.T) {
	blank, there := cdp.Frame{ID: "F", URL: "about:blank"}, cdp.Frame{ID: "F", URL: "https://a.test/", URLFragment: "#b"}
	w := &watched{isPage: true, tab: &tab{}}
	w.tab.watched = w
	w.shows(&page.FrameTree{Frame: &blank})
	need.Is(t, "before an event", "about:blank", w.tab.url)
	new(Observer).navigated(w, &page.EventFrameNavigated{Frame: &there})
	w.shows(&page.FrameTree{Frame: &blank})
	need.Is(t, "after it", "https://a.test/#b", w.tab.url)
}
