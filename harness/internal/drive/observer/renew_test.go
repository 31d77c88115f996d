package observer

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
)

// deaf is a pipe that drops all messages of the session that attaches first, from now on.
type deaf struct {
	pipe
	session atomic.Pointer[string]
	rest    bytes.Buffer // messages to hand on
	partial []byte
}

func (d *deaf) Read(b []byte) (int, error) {
	for d.rest.Len() == 0 {
		raw := make([]byte, 64<<10)
		n, err := d.pipe.Read(raw)
		if err != nil {
			return 0, err
		}
		d.partial = append(d.partial, raw[:n]...)
		for {
			message, rest, whole := bytes.Cut(d.partial, []byte{0})
			if !whole {
				break
			}
			if s := d.session.Load(); s == nil || !strings.HasSuffix(string(message), `"sessionId":"`+*s+`"}`) {
				d.rest.Write(append(message[:len(message):len(message)], 0))
			}
			d.partial = rest
		}
	}
	return d.rest.Read(b)
}

// A tab whose session is deaf is read in a new one.
func TestRenew(t *testing.T) {
	web := serve(t, map[string]string{"/": `<h1>Hello</h1><iframe srcdoc="a"></iframe><script>console.error("oops")</script>`, "/next": "<h1>Next</h1>"})
	p, _ := startBrowser(t)
	d := &deaf{pipe: p}
	o := attach(t, d)
	tab := string(o.tabs[0].id)
	needs := judge.Needs{Text: []string{"h1"}, Console: true}
	open(t, o, tab, web.URL+"/", needs)
	old := string(o.sessionOf(t, tab).ID)
	d.session.Store(&old)
	got := readWhen(t, o, Request{TabID: tab, Needs: needs, SessionID: "s"}, func(r Reading) bool { return r.Settled })
	if text := got.Facts.DOMText.Of["h1"]; text == nil || *text != "Hello" {
		t.Errorf("the text is %v", text)
	}
	// The browser repeats the console of the page's document; nothing is counted twice.
	if n := o.tabs[0].console.entries[0].Count; n != 1 || len(o.tabs) != 1 {
		t.Errorf("the error is counted %d times, in %d tabs", n, len(o.tabs))
	}
	got = open(t, o, tab, web.URL+"/next", needs)
	if text := got.Facts.DOMText.Of["h1"]; text == nil || *text != "Next" || o.URL(tab) != web.URL+"/next" {
		t.Errorf("the next page: text %v at %s", text, o.URL(tab))
	}
	closeTab(t, o, tab)
	if why := waitNoPage(t, o, tab); !strings.HasPrefix(why, tabClosed) {
		t.Error(why)
	}
}
