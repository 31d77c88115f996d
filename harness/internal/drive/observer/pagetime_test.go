package observer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
)

// steps lets page time go on until p has these words, and returns how far it came; -1 if never.
func steps(t *testing.T, o *Observer, p *PageTime, tab, words string, most time.Duration) time.Duration {
	t.Helper()
	for p.Now < most {
		if err := p.Step(t.Context(), 100*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		r, err := o.Read(t.Context(), Request{TabID: tab, Needs: judge.Needs{Text: []string{"p"}}})
		if err == nil && r.Facts.DOMText.Of["p"] != nil && *r.Facts.DOMText.Of["p"] == words {
			return p.Now
		}
	}
	return -1
}

// say sets the text of the page, and of its opener's or its parent's.
const say = `<script>function say(text) { for (const w of [window, opener, parent]) if (w) w.postMessage(text, "*") }
addEventListener("message", e => { document.querySelector("p").textContent = e.data })</script><p>0</p>`

const (
	timer      = say + `<script>setTimeout(say, 5000, "late")</script>`
	transition = say + `<style>p { transition: width 1s; width: 9px } .wide { width: 99px }</style><script>
const p = document.querySelector("p")
setTimeout(() => { p.className = "wide" }, 500)
p.addEventListener("transitionend", () => say("late"))</script>`
)

func TestPageTime(t *testing.T) {
	other := serve(t, map[string]string{"/timer": timer, "/transition": transition})
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "other.test", 1)
	web := serve(t, map[string]string{
		"/timer":        timer,
		"/transition":   transition,
		"/answer":       say + `<script>fetch("/timer").then(() => setTimeout(say, 5000, "late"))</script>`,
		"/frame":        say + `<iframe src="` + elsewhere + `/timer"></iframe>`,
		"/moving-frame": say + `<iframe src="` + elsewhere + `/transition"></iframe>`,
		"/popup":        say + `<script>function act() { setTimeout(open, 1000, "/timer") }</script>`,
		"/leaves":       say + `<script>setTimeout(() => { location = "` + elsewhere + `/timer" }, 1000)</script>`,
	})
	for _, test := range []struct {
		page     string
		from, to time.Duration // when its text changes, in ms
	}{
		{"timer", 4500, 5300}, {"answer", 4500, 5300}, {"transition", 1200, 4000},
		{"frame", 4500, 5300}, {"moving-frame", 1200, 4000}, {"popup", 5800, 6500},
		{"leaves", 4500, 6500}, // a new process is in real time until the next step
	} {
		t.Run(test.page, func(t *testing.T) {
			o, tab := observe(t)
			open(t, o, tab, web.URL+"/"+test.page, judge.Needs{})
			// As if a person had clicked.
			script := runtime.EvaluateParams{Expression: "window.act && act()", UserGesture: new(true)}
			if _, err := devtools.Call(t.Context(), o.sessionOf(t, tab), runtime.Evaluate, script); err != nil {
				t.Fatal(err)
			}
			p, err := o.StartPageTime(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if at := steps(t, o, p, tab, "late", 10*time.Second); at < test.from*time.Millisecond || at > test.to*time.Millisecond {
				t.Errorf("at %v, want %d to %d ms", at, test.from, test.to)
			}
		})
	}
}

// What page time would leave behind keeps the pages in real time, and a page's frames keep its pace.
func TestRealTime(t *testing.T) {
	web := serve(t, map[string]string{
		"/":           say,
		"/worker":     say + `<script>new Worker("data:text/javascript,setInterval(() => {}, 50)")</script>`,
		"/shared":     say + `<script>new SharedWorker("data:text/javascript,setInterval(() => {}, 50)")</script>`,
		"/service":    say + `<script>navigator.serviceWorker.register("/service.js")</script>`,
		"/service.js": "0",
		"/frames":     say + `<script>(function f() { requestAnimationFrame(f) })()</script>`,
	})
	for _, test := range []struct {
		page, open string
		frames     bool
	}{
		{"", "", false}, {"worker", "a worker was open", false},
		{"shared", "a worker was open", false}, {"service", "a worker was open", false}, {"frames", "", true},
	} {
		t.Run(test.page, func(t *testing.T) {
			o, tab := observe(t)
			navigate(t, o, tab, web.URL+"/"+test.page)
			readWhen(t, o, Request{TabID: tab}, func(r Reading) bool { return r.Settled })
			need.Until(t, "the worker", func() bool { return test.open == "" || o.atWork()+" was open" == test.open })
			p, err := o.StartPageTime(t.Context())
			if test.open != "" {
				if err == nil || err.Error() != test.open {
					t.Errorf("error %v, want %s", err, test.open)
				}
				return
			}
			if err != nil || p.frames != test.frames {
				t.Errorf("%+v, error %v, want frames %v", p, err, test.frames)
			}
		})
	}
}

// A page that never ends a task does not hold its caller for ever.
func TestPageTimeEnds(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": say + `<script>setTimeout(() => { for (;;); }, 500)</script>`})
	open(t, o, tab, web.URL, judge.Needs{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	p, err := o.StartPageTime(ctx)
	for err == nil {
		err = p.Step(ctx, 100*time.Millisecond)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
