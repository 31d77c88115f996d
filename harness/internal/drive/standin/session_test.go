package standin

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/internal/need"
)

// A page that cannot be shown faithfully is shown, and every later result
// says why the session no longer counts.
func TestDoubt(t *testing.T) {
	for path, want := range map[string]string{
		"/":        "",
		"/data":    "",
		"/script":  "page needs scripts (add the tag scripts to the task): http://shop.example/script",
		"/refresh": "page needs scripts (add the tag scripts to the task): http://shop.example/refresh",
		"/iframe":  "page needs a real browser (element iframe): http://shop.example/iframe",
		"/style":   "page needs a real browser (style: @media (min-width:1px)): http://shop.example/style",
	} {
		s := start(t, Options{})
		r, err := s.raw(t.Context(), "navigate", args{"url": "http://shop.example" + path})
		if err != nil || r.IsError {
			t.Fatalf("navigate %s: %v, %v", path, r, err)
		}
		got := ""
		if r.Meta != nil {
			got, _ = r.Meta.AdditionalFields[InconclusiveKey].(string)
		}
		need.Is(t, fmt.Sprintf("navigate %s", path), want, got)
		s.call("navigate", args{"url": "http://shop.example/"})
		need.Is(t, fmt.Sprintf("after %s and another page", path), want, s.doubt())
	}
}

func TestClicksBeyond(t *testing.T) {
	for query, want := range map[string]string{
		"Popup":  "a with target",
		"Script": "a to javascript:go()",
		"Save":   "a with download",
		"Upload": "form with enctype",
	} {
		s := start(t, Options{})
		s.call("navigate", args{"url": "http://shop.example/links"})
		if got := s.call("interact", args{"tabId": "TAB", "query": query}); got != "ERROR stand-in: "+want+" is not supported; use a real browser" {
			t.Errorf("interact %s = %q", query, got)
		}
		need.Is(t, fmt.Sprintf("%s: doubt", query), "needs a real browser: "+want, s.doubt())
	}
}

// What OpenChrome would answer otherwise, or a browser do otherwise, is refused.
func TestRefuses(t *testing.T) {
	need.Cases(t, "refused", func(t *testing.T, files map[string]string) (what string) {
		synctest.Test(t, func(t *testing.T) {
			s, got := start(t, Options{}), ""
			for line := range strings.SplitSeq(files["calls"], "\n") { // the last one is refused
				need.Is(t, "doubt before "+line, "", s.doubt())
				got = s.line(line)
			}
			what = strings.TrimPrefix(s.doubt(), "needs a real browser: ")
			need.Is(t, "answer", "ERROR stand-in: "+what+" is not supported; use a real browser", got)
		})
		return what
	})
}

// Which of two unlike elements OpenChrome takes may hang on their size.
func TestInteractDoesNotGuess(t *testing.T) {
	s := start(t, Options{})
	s.call("navigate", args{"url": "http://shop.example/alike"})
	want := `interact with a query that matches <button> and <a> equally well ("Leave")`
	if got := s.call("interact", args{"tabId": "TAB", "query": "Leave"}); got != "ERROR stand-in: "+want+" is not supported; use a real browser" {
		t.Errorf("interact = %q", got)
	}
	need.Is(t, "doubt", "needs a real browser: "+want, s.doubt())
}

// The points of OpenChrome's scoreElement, but for the size.
func TestPoints(t *testing.T) {
	for source, want := range map[string]int{
		`<a aria-label="Buy" href=/>now</a>`: 15 + 100 + 90 + 50 + 45 + 20,
		`<button>Buy tea</button>`:           15 + 50 + 20,
		`<p title="To buy">tea</p>`:          15 + 50,
		`<input placeholder="what to buy">`:  15,
		`<p>sell</p>`:                        0,
	} {
		doc, err := html.Parse(strings.NewReader(source))
		need.OK(t, err)
		n := doc.FirstChild.LastChild.FirstChild
		if got := newMatch(n, "buy", []string{"buy"}).score; got != want {
			t.Errorf("%s: %d points, want %d", source, got, want)
		}
	}
}

func TestBackFromAnErrorPage(t *testing.T) {
	s := start(t, Options{})
	s.call("navigate", args{"url": "http://shop.example/"})
	s.call("navigate", args{"url": "http://no.invalid/", "tabId": "TAB"})
	if got := s.call("navigate", args{"url": "back", "tabId": "TAB"}); got != "ERROR stand-in: going back or forward from an error page is not supported; use a real browser" {
		t.Errorf("back = %q", got)
	}
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, Options{Latency: 100 * time.Millisecond})
		begin := time.Now()
		s.call("tabs_context", args{})
		s.call("tabs_context", args{})
		if took := time.Since(begin); took != 200*time.Millisecond {
			t.Errorf("two calls took %v, want 200ms", took)
		}
		begin = time.Now()
		need.Fails(t, need.Err(s.raw(within(t, 30*time.Millisecond), "tabs_context", args{})), "")
		if took := time.Since(begin); took != 30*time.Millisecond {
			t.Errorf("a cancelled call took %v, want 30ms", took)
		}
	})
}

func TestNavigationIsCancelledAndTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, Options{})
		begin := time.Now()
		need.Fails(t, need.Err(s.raw(within(t, 20*time.Millisecond), "navigate", args{"url": "http://shop.example/hang"})), "")
		if took := time.Since(begin); took != 20*time.Millisecond {
			t.Errorf("the cancelled call took %v", took)
		}
		s.call("navigate", args{"url": "http://shop.example/"})
		begin = time.Now()
		if got := s.call("navigate", args{"url": "http://shop.example/hang", "tabId": "TAB"}); !strings.HasPrefix(got, "Navigation timed out — the page did not finish loading within 30s.") {
			t.Errorf("navigate = %q", got)
		}
		if took := time.Since(begin); took != 30*time.Second {
			t.Errorf("the timeout took %v", took)
		}
	})
}

// A waiting call gives up its place in the line when it is cancelled.
func TestQueuedCallIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, Options{})
		s.call("navigate", args{"url": "http://shop.example/"})
		done := make(chan string)
		go func() { done <- s.call("navigate", args{"tabId": "TAB", "url": "http://shop.example/hang"}) }()
		synctest.Wait()
		begin := time.Now()
		if _, err := s.raw(within(t, 40*time.Millisecond), "tabs_context", args{}); err == nil || time.Since(begin) != 40*time.Millisecond {
			t.Errorf("the queued call ended with %v after %v", err, time.Since(begin))
		}
		if got := <-done; !strings.HasPrefix(got, "Navigation timed out") {
			t.Errorf("the call before it = %q", got)
		}
	})
}

// A fault of the stand-in is nothing that OpenChrome said, and leaves no verdict.
func TestFaultOfOurOwn(t *testing.T) {
	was := tools["wait_for"]
	t.Cleanup(func() { tools["wait_for"] = was })
	tools["wait_for"] = func(*Server, context.Context, arguments) (string, error) {
		var none []int
		return fmt.Sprint(none[1:][3]), nil
	}
	s := start(t, Options{})
	s.call("navigate", args{"url": "http://shop.example/"})
	const want = "a fault of the stand-in: runtime error: slice bounds out of range [1:0]"
	need.Is(t, "wait_for", "ERROR "+want, s.call("wait_for", args{"tabId": "TAB"}))
	need.Is(t, "doubt", "broken: "+want, s.doubt())
	if got := s.call("javascript_tool", args{"tabId": "TAB", "code": "document.querySelector('h1').innerText"}); got != "Hello" {
		t.Errorf("after that h1 = %q", got)
	}
}
