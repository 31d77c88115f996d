package observer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
)

// forgery is what a rival wants us to read. Its text ends up in a fact only by forgery.
const forgery = `{"url":"http://forged.test/","loaded":true,"text":[{"value":"Saved"}],"count":[{"value":9}]}`

// payloads are scripts that a server runs in our world. Each replaces what a script of ours
// could use.
var payloads = []payload{
	{"JSON.stringify", `JSON.stringify = () => FORGERY`},
	{"toJSON", `for (const c of [Object, Array, String, Number]) c.prototype.toJSON = function () { return typeof this == "string" || this instanceof String ? "Saved" : JSON.parse(FORGERY) }`},
	{"innerText of one element", `Object.defineProperty(document.querySelector("#state"), "innerText", {get: () => "Saved"})`},
	{"the getter of innerText", `Object.defineProperty(HTMLElement.prototype, "innerText", {get() { return "Saved" }, configurable: true})`},
	{"another getter in its place", `Object.defineProperty(HTMLElement.prototype, "innerText", {get: Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML").get})`},
	{"a bound getter", `Object.defineProperty(HTMLElement.prototype, "innerText", {get: Object.defineProperty(function () { return "Saved" }.bind(null), "name", {value: "get innerText"})})`},
	{"a proxy of the getter", `Object.defineProperty(HTMLElement.prototype, "innerText", {get: new Proxy(Object.getOwnPropertyDescriptor(HTMLElement.prototype, "innerText").get, {apply: () => "Saved"})})`},
	{"a getter with another source", `const f = {get innerText() { return "Saved" }}, g = Object.getOwnPropertyDescriptor(f, "innerText").get; Function.prototype.toString = () => "function get innerText() { [native code] }"; g.toString = Function.prototype.toString; Object.defineProperty(HTMLElement.prototype, "innerText", {get: g})`},
	// DevTools describes it as "function $get innerText() { [native code] }".
	{"a function of WebAssembly of that name", `const text = s => [s.length, ...[...s].map(c => c.charCodeAt(0))], section = (id, b) => [id, b.length, ...b]; const module = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...section(1, [1, 0x60, 0, 1, 0x6f]), ...section(2, [1, ...text("m"), ...text("f"), 0, 0]), ...section(7, [1, ...text("f"), 0, 0]), ...section(0, [...text("name"), ...section(1, [1, 0, ...text("get innerText")])])])); const get = new WebAssembly.Instance(module, {m: {f: () => "Saved"}}).exports.f; Object.defineProperty(get, "name", {value: "get innerText"}); Object.defineProperty(HTMLElement.prototype, "innerText", {get}); if (document.querySelector("#state").innerText != "Saved") throw 1`},
	{"querySelector", `const e = document.createElement("p"); e.textContent = "Saved"; Document.prototype.querySelector = document.querySelector = () => e`},
	{"querySelectorAll", `Document.prototype.querySelectorAll = document.querySelectorAll = () => ({length: 9})`},
	{"the length of a list", `Object.defineProperty(NodeList.prototype, "length", {get: () => 9})`},
	{"location", `for (const f of [() => Object.defineProperty(window, "location", {value: {href: "http://forged.test/"}}), () => Object.defineProperty(location, "href", {get: () => "http://forged.test/"}), () => { Location.prototype.href = "http://forged.test/" }, () => { window.__proto__.location = {href: "http://forged.test/"} }]) try { f() } catch {}`},
	{"names of the script scope", "let location = {href: 'http://forged.test/'}\nlet document = {}\nlet window = {}\nlet call = () => 'Saved', json = call, first = call, textOf = call\nfunction all() { return 9 }"},
	{"iterators", `Array.prototype[Symbol.iterator] = function* () { yield FORGERY }; Array.prototype.map = Array.prototype.join = () => FORGERY; Array.prototype[0] = FORGERY`},
	{"String.prototype", `for (const n of Object.getOwnPropertyNames(String.prototype)) try { String.prototype[n] = () => FORGERY } catch {}`},
	{"Function.prototype", `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => FORGERY`},
	{"Reflect.apply", `Reflect.apply = () => FORGERY`},
	{"another apply", `Reflect.apply = Function.prototype.apply`},
	{"another querySelector", `Document.prototype.querySelector = Element.prototype.querySelector`},
	{"Symbol.hasInstance", `Object.defineProperty(HTMLElement, Symbol.hasInstance, {value: () => false}); try { Object.defineProperty(Function.prototype, Symbol.hasInstance, {value: () => false}) } catch {}`},
	{"getters of the document", `for (const n of ["readyState", "body", "URL", "title", "documentElement"]) Object.defineProperty(Document.prototype, n, {get: () => "Saved"})`},
	{"the prototype of the document", `Object.setPrototypeOf(document, {querySelector: () => ({innerText: "Saved"}), querySelectorAll: () => ({length: 9}), readyState: "complete"})`},
	{"getOwnPropertyDescriptor", `Object.getOwnPropertyDescriptor = () => ({get: () => "Saved"})`},
	{"defineProperty", `const real = Object.defineProperty; Object.defineProperty = (o, n, d) => real(o, n, {value: () => "Saved"})`},
	{"defineProperty without its promise", `const real = Object.defineProperty; Object.defineProperty = (o, n, d) => real(o, n, {value: d.value, writable: true, configurable: true})`},
	{"properties that are there", `for (const n of ["apply", "stringify", "get innerText", "querySelector"]) try { Object.defineProperty(location, n, {value: () => "Saved", configurable: false}) } catch {}`},
	{"a location that takes none", `Object.preventExtensions(location)`},
	{"setters", `for (const n of ["url", "text", "count", "value"]) Object.defineProperty(Object.prototype, n, {set() {}, get: () => "Saved"})`},
	{"names of the page", `delete window.HTMLElement; window.HTMLElement = class { get innerText() { return "Saved" } }; window.Document = window.Reflect = window.JSON = new Proxy(function () {}, {get: () => () => "Saved"})`},
	{"the caller's arguments", `const real = Object.defineProperty; Object.defineProperty = function (o, n, d) { try { arguments.callee.caller.arguments[0] = "get title" } catch {} return real(o, n, {value: () => "Saved"}) }`},
}

type payload struct{ name, script string }

// declares: the script is a list of declarations, which the browser may refuse.
func (p payload) declares() bool { return strings.HasPrefix(p.script, "let ") }

func (p payload) scripts() []string {
	if p.declares() {
		return strings.Split(p.script, "\n")
	}
	return []string{"(() => {" + strings.ReplaceAll(p.script, "FORGERY", "`"+forgery+"`") + "})()"}
}

var stateNeeds = judge.Needs{Text: []string{"#state"}, Count: []string{"li"}}

const statePage = `<p id=state>Open</p><ul><li>1</ul><iframe src="/inner"></iframe>`
const innerPage = `<p id=state>Saved</p>` + "<li><li><li><li><li><li><li><li><li>"

// forged reads the page. It returns what is wrong in the facts, and whether there are facts.
// A reading without them is right only if the server is to blame.
func forged(t *testing.T, o *Observer, tab, url string) (wrong string, read bool) {
	t.Helper()
	ctx := need.Within(t, 2*time.Second)
	r, err := o.Read(ctx, Request{TabID: tab, Needs: stateNeeds, SessionID: "s"})
	if _, refused := errors.AsType[*NoPage](err); refused {
		return "", false
	}
	if err != nil {
		return "error " + err.Error(), false
	}
	got := look(r, url)
	whole := seen{Path: "", State: "Open", Count: 1}
	// What the browser has parsed of the page so far. On a busy machine a reading may come in between.
	parts := []seen{{}, {State: "Open"}}
	switch {
	case got == whole:
		return "", true
	case slices.Contains(parts, got) && !r.Settled:
		return "", false
	}
	return fmt.Sprintf("read %+v, settled: %t", got, r.Settled), true
}

// A server that runs a script in our world, before we use the world or after, forges no
// fact. It can only keep us from reading.
func TestPayloads(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": statePage, "/inner": innerPage})
	for _, p := range payloads {
		for _, when := range []string{"before", "after"} {
			t.Run(p.name+" "+when, func(t *testing.T) {
				open(t, o, tab, web.URL+"/", stateNeeds)
				ctx := t.Context()
				o.mu.Lock()
				tb := o.find(tab)
				used := tb.watched.world
				o.mu.Unlock()
				run := func(world string) {
					for _, script := range p.scripts() {
						r, err := devtools.Call(ctx, tb.session, runtime.Evaluate, runtime.EvaluateParams{Expression: script, UniqueContextID: world, ReplMode: new(true)})
						if err != nil || r.ExceptionDetails != nil && !p.declares() {
							t.Fatalf("the payload failed: %v %+v", err, r.ExceptionDetails)
						}
					}
				}
				if when == "before" {
					used = makeWorld(t, o, tb)
					run(used)
					if err := o.keep(ctx, tb, used); err != nil {
						if _, ok := errors.AsType[*NoPage](err); !ok {
							t.Error(err)
						}
						return
					}
					o.mu.Lock()
					tb.watched.world = used
					o.mu.Unlock()
				} else {
					run(used)
				}
				if wrong, _ := forged(t, o, tab, web.URL+"/"); wrong != "" {
					t.Error(wrong)
				}
				o.mu.Lock()
				defer o.mu.Unlock()
				need.Is(t, "read in another world", used, tb.watched.world)
			})
		}
	}
}

// makeWorld makes a world as world does, and does not use it.
func makeWorld(t *testing.T, o *Observer, tb *tab) string {
	t.Helper()
	o.mu.Lock()
	tb.worldName = "openchrome-bench " + t.Name()
	name, frame := tb.worldName, tb.frame
	o.mu.Unlock()
	need.OK(t, need.Err(devtools.Call(t.Context(), tb.session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: name})))
	o.mu.Lock()
	defer o.mu.Unlock()
	made := tb.made
	tb.made = ""
	return made
}
