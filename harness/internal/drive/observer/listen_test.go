package observer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// press clicks with a real mouse.
func press(t testing.TB, o *Observer, tab string, x, y float64) {
	t.Helper()
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		need.OK(t, point(t, o, tab, kind, x, y))
	}
}

// point is half of a click.
func point(t testing.TB, o *Observer, tab string, kind input.DispatchMouseEventType, x, y float64) error {
	t.Helper()
	_, err := devtools.Call(t.Context(), o.sessionOf(t, tab), input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1,
	})
	return err
}

// do runs a script in the page's own world.
func do(t testing.TB, o *Observer, tab, script string) string {
	t.Helper()
	r, err := devtools.Call(t.Context(), o.sessionOf(t, tab), runtime.Evaluate, runtime.EvaluateParams{Expression: script, ReturnByValue: new(true), UserGesture: new(true)})
	if err != nil || r.ExceptionDetails != nil {
		t.Fatalf("%s: %v %+v", script, err, r.ExceptionDetails)
	}
	return string(r.Result.Value)
}

// take collects what pages got until ok. It sums up all Takes.
func take(t testing.TB, o *Observer, tab string, ok func(record.Trace) bool) (all record.Trace) {
	t.Helper()
	end := time.After(20 * time.Second)
	for {
		got := o.Ear.Take(t.Context(), tab)
		got.Events, got.Lost = append(all.Events, got.Events...), append(all.Lost, got.Lost...)
		got.Changed = append(all.Changed, got.Changed...)
		if all = got; ok(all) {
			return all
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-end:
			t.Fatalf("never heard; got %.2000s, lost %.2000q", brief(all.Events), all.Lost)
		}
	}
}

// isReal says that no script made an event.
func isReal(e record.Heard) bool {
	return e.Trusted && slices.Contains([]string{"pointer", "click", "key", "drag", "drop"}, e.Kind)
}

// brief names events: "click! button Send" is a real one.
func brief(events []record.Heard) (list []string) {
	for _, e := range events {
		s := e.Kind
		if isReal(e) {
			s += "!"
		}
		if e.Control != nil {
			s = strings.TrimSpace(s + " " + e.Control.Role + " " + e.Control.Name)
		}
		list = append(list, s)
	}
	return list
}

func has(s string) func(record.Trace) bool {
	return func(got record.Trace) bool { return slices.Contains(brief(got.Events), s) }
}

const big = `<style>body{margin:0}button,a,input{position:fixed;left:0;top:0;width:200px;height:100px}iframe{position:fixed;left:0;top:200px;width:300px;height:200px;border:0}</style>`

// Pages that try to hide what they get cannot.
func TestHostilePagesAreHeard(t *testing.T) {
	foreign := serve(t, map[string]string{
		"/inner":  big + `<button>Inside</button>`,
		"/nest":   big + `<iframe src="/inner" style="top:0"></iframe>`,
		"/popup":  big + `<button>Popped</button>`,
		"/landed": `<p>landed`,
	})
	other := strings.Replace(foreign.URL, "127.0.0.1", "other.test", 1)
	for _, test := range []struct {
		name, page string
		x, y       float64
		script     string // runs before the click
		want       string
	}{
		{"propagation stopped", `<script>for (const k of ["pointerdown", "mousedown", "click"]) addEventListener(k, e => e.stopImmediatePropagation(), true)</script>` + big + `<button>Send</button>`, 50, 50, "", "click! button Send"},
		{"functions replaced", `<script>EventTarget.prototype.addEventListener = Element.prototype.getAttribute = JSON.stringify = () => { throw 1 }; Object.defineProperty(Event.prototype, "isTrusted", {get: () => false})</script>` + big + `<button>Send</button>`, 50, 50, "", "click! button Send"},
		{"names clobbered", big + `<form id=f><input name=getAttribute><input name=nodeType><input name=parentElement><input name=localName><input name=ownerDocument><input name=matches><input name=closest style="display:none"><button type=button>Send</button></form><img name=querySelectorAll><img name=createTreeWalker><img name=getElementById><img name=documentElement>`, 50, 50, "", "click! button Send"},
		{"document.open", `<p>old`, 50, 50, `document.open(); document.write('` + big + `<button>Written</button>'); document.close()`, "click! button Written"},
		{"an open shadow root", big + `<div id=h></div>`, 50, 50, `h.attachShadow({mode: "open"}).innerHTML = '` + big + `<button>Deep</button>'`, "click! button Deep"},
		{"a closed shadow root", big + `<x-a id=h style="position:fixed;left:0;top:0;width:200px;height:100px"></x-a>`, 50, 50, `h.attachShadow({mode: "closed"}).innerHTML = '<button style="width:200px;height:100px">Deep</button>'`, "click! button Deep"},
		{"a closed shadow root of an element with text, in an open one", big + `<div id=h></div>`, 50, 50, `const d = document.createElement("div"); d.textContent = "Light"; h.attachShadow({mode: "open"}).append(d); d.attachShadow({mode: "closed"}).innerHTML = '` + big + `<button>Deep</button>'`, "click! button Deep"},
		{"a foreign frame in a frame", big + `<iframe src="` + other + `/nest"></iframe>`, 50, 250, "", "click! button Inside"},
		{"a srcdoc frame", big + `<iframe srcdoc='` + big + `<button>Doc</button>'></iframe>`, 50, 250, "", "click! button Doc"},
		{"a sandboxed frame", big + `<iframe sandbox src="` + other + `/inner"></iframe>`, 50, 250, "", "click! button Inside"},
		{"it leaves at once", `<script>addEventListener("pointerdown", () => { location = "` + other + `/landed" }, true)</script>` + big + `<button>Leave</button>`, 50, 50, "", "pointer! button Leave"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, tab := observe(t)
			web := serve(t, map[string]string{"/": test.page})
			if test.script == "" {
				navigate(t, o, tab, web.URL+"/")
			} else {
				open(t, o, tab, web.URL+"/", judge.Needs{})
				do(t, o, tab, test.script)
			}
			got := take(t, o, tab, func(got record.Trace) bool { // the frames have loaded
				if !has(test.want)(got) {
					press(t, o, tab, test.x, test.y)
				}
				return has(test.want)(got)
			})
			for _, e := range got.Events {
				if e.Kind == "fault" {
					t.Error(e.Text)
				}
			}
			if test.name == "document.open" { // what it ran before we listened again is lost, and said so
				if len(got.Lost) == 0 {
					t.Error("the loss is not reported")
				}
				return
			}
			if got.Deaf {
				t.Errorf("lost %q", got.Lost)
			}
		})
	}
}

// Popups are heard, also one that closes itself at once.
func TestPopupIsHeard(t *testing.T) {
	const first = `<script>document.addEventListener("click", e => e.stopImmediatePropagation(), true)</script>` + big + `<button>Popped</button><script>document.querySelector("button").click()</script>`
	pages := map[string]string{
		"/": `<p>opener`, "/pop": first,
		"/brief": `<script>addEventListener("pointerdown", () => window.close(), true)</script>` + big + `<button>Popped</button>`,
	}
	foreign := strings.Replace(serve(t, pages).URL, "127.0.0.1", "other.test", 1)
	for _, test := range []struct{ name, script, want string }{
		{"of the same site, from its first line", `void window.open("/pop")`, "click button Popped"},
		{"of another site, without an opener, from its first line", `void window.open("` + foreign + `/pop", "", "noopener")`, "click button Popped"},
		{"blank and written into", `window.open("").document.write('` + big + `<button>Popped</button>')`, "pointer! button Popped"},
		{"closed at once", `void window.open("/brief")`, "pointer! button Popped"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, tab := observe(t)
			web := serve(t, pages)
			open(t, o, tab, web.URL+"/", judge.Needs{})
			do(t, o, tab, test.script)
			got := take(t, o, tab, func(got record.Trace) bool {
				if i := slices.Index(brief(got.Events), "tab"); i >= 0 && strings.HasPrefix(test.want, "pointer!") && !has(test.want)(got) {
					point(t, o, got.Events[i].Target, input.DispatchMouseEventTypeMousePressed, 50, 50) // once it is there
				}
				return has("tab")(got) && (has(test.want)(got) || late(got))
			})
			if late(got) && !has(test.want)(got) {
				return // what such a popup did at first is not known, and the trace says so
			}
			if i := slices.Index(brief(got.Events), "tab"); got.Events[i].Text == "about:blank" {
				t.Error("the address of a tab is the one that it began with")
			}
			if i := slices.Index(brief(got.Events), test.want); got.Events[i].Where.Tab != 2 {
				t.Errorf("got %q in tab %d", brief(got.Events), got.Events[i].Where.Tab)
			}
		})
	}
}

// late reports whether the trace says that we came to a document after its first line.
func late(got record.Trace) bool {
	return strings.Contains(strings.Join(got.Lost, "; "), "before it was ") // interactive, or on a busy machine complete
}

// Nothing that a script makes is real, and ten thousand of them cost little and are counted.
func TestForgedEvents(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": big + `<button>Send</button><input style="top:300px">`})
	open(t, o, tab, web.URL+"/", judge.Needs{})
	do(t, o, tab, `const b = document.querySelector("button"), i = document.querySelector("input");
b.click();
b.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true, isTrusted: true}));
i.dispatchEvent(new KeyboardEvent("keydown", {bubbles: true, key: "x"}));
for (let n = 0; n < 10000; n++) b.dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	got := take(t, o, tab, func(got record.Trace) bool { return len(got.Lost) > 0 })
	for _, e := range got.Events {
		if isReal(e) {
			t.Errorf("%s counts as real", brief([]record.Heard{e}))
		}
	}
	if n := len(got.Events); n > 60 {
		t.Errorf("%d events were described", n)
	}
	if lost := strings.Join(got.Lost, "; "); !strings.Contains(lost, "scripts made") {
		t.Errorf("lost %q", lost)
	}
	// As many a second, also some that the browser trusts, hide no real click.
	do(t, o, tab, `i.type = "checkbox"; void setInterval(() => { for (let n = 0; n < 100; n++) b.dispatchEvent(new MouseEvent("click", {bubbles: true})); i.click() }, 10)`)
	press(t, o, tab, 50, 50)
	got = take(t, o, tab, has("click! button Send"))
	var trusted []string
	for _, e := range got.Events {
		if isReal(e) {
			trusted = append(trusted, brief([]record.Heard{e})...)
		}
	}
	if want := []string{"pointer! button Send", "click! button Send"}; !slices.Equal(trusted, want) {
		t.Errorf("real are %q, want %q", trusted, want)
	}
}

// A page finds no trace of us: no global, no error, no other answer of a function.
func TestListenersAreInvisible(t *testing.T) {
	o, tab := observe(t)
	probe := `<script>window.errors = []; addEventListener("error", e => errors.push(e.message)); window.names = Object.getOwnPropertyNames(window).length</script>` + big + `<button>Send</button>`
	web := serve(t, map[string]string{"/": probe})
	open(t, o, tab, web.URL+"/", judge.Needs{})
	press(t, o, tab, 50, 50)
	take(t, o, tab, has("click! button Send"))
	if got := do(t, o, tab, `JSON.stringify([errors, Object.getOwnPropertyNames(window).filter(n => /^w[A-Z0-9]{8}$/.test(n)), document.activeElement.tagName, [...document.querySelector("button").attributes].length])`); got != `"[[],[],\"BUTTON\",0]"` {
		t.Errorf("the page sees %s", got)
	}
}

// Fields are read as they are, and a reading says which ones changed.
func TestFields(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<form><label>Town <input name=town value=Bern></label><label><input type=checkbox name=c> News</label>
<select name=s aria-label=Plan><option value=1>Small<option value=2>Large</select><textarea aria-label=Note></textarea><div contenteditable aria-label=Free></div></form>`})
	open(t, o, tab, web.URL+"/", judge.Needs{})
	take(t, o, tab, func(got record.Trace) bool { return got.After.Whole && len(got.After.List) > 0 })
	do(t, o, tab, `document.querySelector("[name=town]").value = "Ulm"; document.querySelector("[name=c]").checked = true; document.querySelector("select").value = "2"; document.querySelector("textarea").value = "Hi"`)
	got := take(t, o, tab, func(got record.Trace) bool { return len(got.Changed) == 4 })
	var list []string
	for _, f := range got.Changed {
		list = append(list, fmt.Sprintf("%s %s: %s to %s", f.Role, f.Name, f.Was, f.Value))
	}
	want := []string{"textbox Town: Bern to Ulm", "checkbox News: off to on", "combobox Plan: Small to Large", "textbox Note:  to Hi"}
	if !slices.Equal(list, want) {
		t.Errorf("got %q, want %q", list, want)
	}
	// The browser trusts what a script inserts, too.
	do(t, o, tab, `document.querySelector("[name=town]").focus(); document.execCommand("insertText", false, "a")`)
	need.OK(t, need.Err(devtools.Call(t.Context(), o.sessionOf(t, tab), input.InsertText, input.InsertTextParams{Text: "b"})))
	got = take(t, o, tab, func(got record.Trace) bool { return len(got.Events) > 1 && got.Events[len(got.Events)-1].Data == "b" })
	for _, e := range got.Events {
		if e.Kind == "input" && e.Scripted != (e.Data == "a") {
			t.Errorf("the input of %q: by a script: %v", e.Data, e.Scripted)
		}
	}
}

// Of closed shadow roots, a click of the keyboard is heard in the right one, and what is in one too many is not known.
func TestManyShadowRoots(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<body><style>body{margin:0}div{height:10px;overflow:hidden}</style><script>for (let i = 0; i < 60; i++) {
const host = document.createElement("div"); host.textContent = "Light"; document.body.append(host);
const root = host.attachShadow({mode: "closed"}); root.innerHTML = "<button style='display:block;height:10px'>Other</button><button>Deep" + i + "</button>"; if (i === 3) window.third = root.lastChild }</script>`})
	open(t, o, tab, web.URL+"/", judge.Needs{})
	got := take(t, o, tab, func(got record.Trace) bool { return len(got.After.List) > 10 })
	if got.After.Whole {
		t.Error("the page is read whole")
	}
	do(t, o, tab, `third.focus()`)
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		need.OK(t, need.Err(devtools.Call(t.Context(), o.sessionOf(t, tab), input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13})))
	}
	take(t, o, tab, has("click! button Deep3"))
	press(t, o, tab, 10, 585)
	got = take(t, o, tab, has("click! div Light"))
	if c := got.Events[len(got.Events)-1].Control; !c.Closed {
		t.Errorf("the click on %+v is known", c)
	}
}

// What changes in a shadow root is a change of the page.
func TestShadowRootsChange(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<div id=a></div><x-b id=b></x-b><script>
const open = a.attachShadow({mode: "open"}), shut = b.attachShadow({mode: "closed"});
open.innerHTML = shut.innerHTML = "<p>Old</p>"; window.change = root => { root.firstChild.textContent += "!" }; Object.assign(window, {open, shut})</script>`})
	open(t, o, tab, web.URL+"/", judge.Needs{})
	for _, root := range []string{"open", "shut"} {
		take(t, o, tab, func(got record.Trace) bool { return got.After.Whole && !got.Moved })
		do(t, o, tab, `change(`+root+`)`)
		take(t, o, tab, func(got record.Trace) bool { return got.Moved })
	}
}

// A request is an effect, although the page has not changed yet.
func TestRequestsAreEffects(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<p>Old`})
	open(t, o, tab, web.URL+"/", judge.Needs{})
	take(t, o, tab, func(got record.Trace) bool { return got.After.Whole && !got.Moved })
	do(t, o, tab, `void fetch("/")`)
	take(t, o, tab, func(got record.Trace) bool { return got.Moved })
}

// A popover that opens is an effect, although no node changes.
func TestPopoversAreEffects(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<div id=a popover>New`})
	open(t, o, tab, web.URL+"/", judge.Needs{})
	take(t, o, tab, func(got record.Trace) bool { return got.After.Whole && !got.Moved })
	do(t, o, tab, `a.showPopover()`)
	take(t, o, tab, func(got record.Trace) bool { return got.Moved })
}
