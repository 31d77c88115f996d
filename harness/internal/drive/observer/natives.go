package observer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/runtime"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

// natives are the browser's functions that our scripts call, and the objects that have them.
//
// Chromium tells every DevTools client of our world, so the server can run scripts in it
// and replace functions there. Our scripts therefore call only these functions, in the way
// that [primordials] shows, and only after verify has seen that they are the browser's own.
// Each name belongs to one function, or to several that throw if they get an object of
// another type. ("slice" and "toJSON" would not do: Array and Date have such functions that
// take any object.)
var natives = map[string]string{
	"apply":               "Reflect",
	"stringify":           "JSON",
	"substring":           "String.prototype",
	"querySelector":       "Document.prototype",
	"querySelectorAll":    "Document.prototype",
	"get readyState":      "Document.prototype",
	"get title":           "Document.prototype",
	"get visibilityState": "Document.prototype",
	"get innerText":       "HTMLElement.prototype",
	"get length":          "NodeList.prototype",
	"get message":         "DOMException.prototype",

	"get scrollX":          "window",
	"get scrollY":          "window",
	"get innerWidth":       "window",
	"get innerHeight":      "window",
	"get devicePixelRatio": "window",

	"get performance":              "window",
	"getEntriesByType":             "Performance.prototype",
	"get name":                     "PerformanceEntry.prototype",
	"get startTime":                "PerformanceEntry.prototype",
	"get duration":                 "PerformanceEntry.prototype",
	"get redirectStart":            "PerformanceResourceTiming.prototype",
	"get redirectEnd":              "PerformanceResourceTiming.prototype",
	"get domainLookupStart":        "PerformanceResourceTiming.prototype",
	"get domainLookupEnd":          "PerformanceResourceTiming.prototype",
	"get connectStart":             "PerformanceResourceTiming.prototype",
	"get connectEnd":               "PerformanceResourceTiming.prototype",
	"get requestStart":             "PerformanceResourceTiming.prototype",
	"get responseStart":            "PerformanceResourceTiming.prototype",
	"get responseEnd":              "PerformanceResourceTiming.prototype",
	"get transferSize":             "PerformanceResourceTiming.prototype",
	"get domInteractive":           "PerformanceNavigationTiming.prototype",
	"get domContentLoadedEventEnd": "PerformanceNavigationTiming.prototype",
	"get loadEventEnd":             "PerformanceNavigationTiming.prototype",
}

// keepScript stores each native in a property of location that nobody can change afterwards. Nobody
// can replace location itself either. The script's value is location.
var keepScript = func() string {
	var s strings.Builder
	s.WriteString(`(() => {
const keep = (name, find) => { try { Object.defineProperty(location, name, {value: find()}) } catch {} };
`)
	for _, name := range slices.Sorted(maps.Keys(natives)) {
		if getter, ok := strings.CutPrefix(name, "get "); ok {
			fmt.Fprintf(&s, "keep(%q, () => Object.getOwnPropertyDescriptor(%s, %q).get);\n", name, natives[name], getter)
		} else {
			fmt.Fprintf(&s, "keep(%q, () => %s.%s);\n", name, natives[name], name)
		}
	}
	s.WriteString(`})(), location`)
	return s.String()
}()

// primordials starts each of our scripts. What a script may use besides call: syntax,
// window, document, location and its href, and the properties that strings and arrays have
// of their own.
//
// Names in the page's HTML have no effect: <img name=querySelector> hides
// document.querySelector, but not the function of the prototype.
const primordials = `
const call = (name, on, ...args) => location.apply(location[name], on, args);
const json = v => call("stringify", null, v); // of a string, a number or null
const first = s => call("querySelector", document, s);
const cut = (s, max) => call("substring", s, 0, max);
const textOf = e => { try { return call("get innerText", e) } catch { return null } }; // null: no HTMLElement
const visibleText = () => textOf(first("body")) ?? "";
`

// tampered is why there is no page to read if the server took part in the reading.
const tampered = "the server changed the functions that the harness reads the page with, through DevTools"

// keep keeps the natives of a world, and returns a [*NoPage] if one of them is not the
// browser's own.
func (o *Observer) keep(ctx context.Context, t *tab, world string) error {
	kept, err := devtools.Call(ctx, o.session(t), runtime.Evaluate, runtime.EvaluateParams{
		Expression: keepScript, UniqueContextID: world, Silent: new(true), DisableBreaks: new(true),
	})
	if err != nil {
		return err
	}
	if kept.ExceptionDetails != nil || kept.Result == nil || kept.Result.ObjectID == "" {
		return &NoPage{Why: tampered, URL: o.URL(string(t.id))}
	}
	own, err := devtools.Call(ctx, o.session(t), runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: kept.Result.ObjectID, OwnProperties: new(true)})
	if err != nil {
		return err
	}
	if name := verify(own.Result); name != "" {
		return &NoPage{Why: fmt.Sprintf("%s (%s)", tampered, name), URL: o.URL(string(t.id))}
	}
	return nil
}

// verify returns the name of a native that is missing, that can still be changed or that is
// not the browser's own function; "" if there is none. The browser describes a function by
// its source, or by its original name if it has none in JavaScript. No program can make a
// function with such a description, not even with bind, Proxy or WebAssembly, which gives "$"
// before the name.
func verify(own []*runtime.PropertyDescriptor) string {
	found := map[string]bool{}
	for _, p := range own {
		f := p.Value
		found[p.Name] = f != nil && p.IsOwn && !p.Configurable && !p.Writable && p.Symbol == nil &&
			f.Type == runtime.RemoteObjectTypeFunction && f.Subtype == "" &&
			f.Description == "function "+p.Name+"() { [native code] }"
	}
	for _, name := range slices.Sorted(maps.Keys(natives)) {
		if !found[name] {
			return name
		}
	}
	return ""
}
