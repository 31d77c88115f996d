package standin

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

// view is a fresh JavaScript runtime that sees one page.
type view struct {
	vm     *goja.Runtime
	page   *browser.Page
	nodes  map[*html.Node]*goja.Object
	lists  *goja.Object // the prototype of a NodeList
	beyond string       // the first refusal
}

func newView(p *browser.Page) *view {
	v := &view{vm: goja.New(), page: p, nodes: map[*html.Node]*goja.Object{}}
	v.vm.SetMaxCallStackSize(maxStack)
	global, array := v.vm.GlobalObject(), v.vm.Get("Array").ToObject(v.vm).Get("prototype").ToObject(v.vm)
	v.lists = v.vm.NewObject()
	must(v.lists.SetSymbol(goja.SymIterator, array.Get("values")))
	for _, name := range []string{"forEach", "entries", "keys", "values"} {
		must(v.lists.Set(name, array.Get(name)))
	}
	for _, name := range []string{"item", "toJSON", "toString"} {
		must(v.lists.Set(name, func() { v.refuse("NodeList." + name) }))
	}
	for name, value := range map[string]goja.Value{"document": v.node(p.Doc), "window": global, "location": v.vm.NewDynamicObject(&host{v, "location", nil})} {
		must(global.DefineDataProperty(name, value, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
	}
	// Every other name is refused, even if browsers do not have it.
	must(global.SetPrototype(v.vm.NewDynamicObject(&host{v, "window", nil})))
	return v
}

func must(err error) {
	if err != nil {
		panic("standin: " + err.Error())
	}
}

// refuse ends the evaluation; the code cannot catch it.
func (v *view) refuse(what string) {
	v.beyond = cmp.Or(v.beyond, what)
	v.vm.Interrupt(browser.Beyond(what))
}

// node returns the object for n, always the same one, or null.
func (v *view) node(n *html.Node) goja.Value {
	if n == nil {
		return goja.Null()
	}
	if v.nodes[n] == nil {
		class := "element"
		if n.Type == html.DocumentNode {
			class = "document"
		}
		v.nodes[n] = v.vm.NewDynamicObject(&host{v, class, n})
	}
	return v.nodes[n]
}

// host is an object of the page: an element, the document, the location, or the
// prototype of the global object. It implements [goja.DynamicObject].
type host struct {
	*view
	class string
	n     *html.Node // nil unless the object is an element or the document
}

// Get returns a property. A property that the view does not have ends the evaluation,
// instead of being undefined.
func (h *host) Get(key string) goja.Value {
	var value any
	switch {
	case h.n != nil && (key == "then" || key == "toJSON"), h.n == nil && key == "valueOf":
		return nil // the runtime asks for these, for instance in JSON.stringify
	case h.class == "document" && h.page.Failed() && !browser.Listed(" location URL readyState ", key):
		h.refuse("an error page")
	case h.n != nil && (key == "querySelector" || key == "querySelectorAll"):
		value = h.selecting(key)
	case h.class == "element":
		value = h.element(key)
	case h.class == "document":
		value = h.document(key)
	case h.class == "location":
		value = location(h, key)
	}
	if value == nil {
		h.refuse(h.class + "." + key)
	}
	return h.vm.ToValue(value)
}

// Has reports whether key is a property.
func (h *host) Has(key string) bool { return h.Get(key) != nil }

// Keys returns nothing, because in a browser these properties are on a prototype.
func (h *host) Keys() []string { return nil }

// Set and Delete refuse, because the view is read-only.
func (h *host) Set(key string, _ goja.Value) bool { return h.Delete(key) }

func (h *host) Delete(key string) bool {
	h.refuse("changing " + h.class + "." + key)
	return true
}

// show formats a page object as javascript_tool does: <a id="x" class="y">.
func (h *host) show() string {
	if h.class != "element" {
		h.refuse("showing the " + h.class)
		return ""
	}
	out := "<" + h.n.Data
	for _, key := range []string{"id", "class"} {
		if v := browser.OneLine(browser.Attr(h.n, key)); v != "" {
			out += " " + key + `="` + v + `"`
		}
	}
	return out + ">"
}

func location(h *host, key string) any {
	u := h.page.URL
	return map[string]any{
		"href": u.String(), "toString": u.String, "origin": u.Scheme + "://" + u.Host, "protocol": u.Scheme + ":", "host": u.Host,
		"hostname": u.Hostname(), "port": u.Port(), "pathname": u.EscapedPath(),
		"search": strings.TrimSuffix("?"+u.RawQuery, "?"), "hash": strings.TrimSuffix("#"+u.EscapedFragment(), "#"),
	}[key]
}

func (h *host) document(key string) any {
	switch key {
	case "title":
		return h.page.Title()
	case "readyState":
		return "complete" // without scripts, a displayed page has always loaded
	case "URL":
		return h.page.URL.String()
	case "location":
		return h.vm.Get(key)
	case "body":
		return h.node(h.page.Element(atom.Body))
	case "documentElement":
		return h.node(h.page.Element(atom.Html))
	case "getElementById":
		return func(id string) goja.Value { return h.node(h.page.ByID(id)) }
	}
	return nil
}

// selecting returns querySelector or querySelectorAll. An invalid selector throws
// Chromium's error.
func (h *host) selecting(method string) any {
	return func(selector string) goja.Value {
		found, err := browser.Query(h.n, selector)
		if what, ok := err.(browser.Unsupported); ok {
			h.refuse("the selector " + string(what))
		} else if err != nil {
			owner := map[string]string{"document": "Document", "element": "Element"}[h.class]
			message := fmt.Sprintf("Failed to execute '%s' on '%s': '%s' is not a valid selector.", method, owner, selector)
			thrown, err := h.vm.New(h.vm.Get("SyntaxError"), h.vm.ToValue(message))
			must(err)
			panic(thrown)
		}
		if method == "querySelector" {
			return h.node(append(found, nil)[0])
		}
		items := make([]any, len(found))
		for i, n := range found {
			items[i] = h.node(n)
		}
		list := h.vm.NewArray(items...) // has only the methods of a NodeList
		must(list.SetPrototype(h.lists))
		return list
	}
}

// holders lists the elements that have a property. On other elements the property is refused.
var holders = map[string]string{
	"value": " input textarea select option button ", "name": " input textarea select button form fieldset ", "type": " input textarea select button ",
	"checked": " input ", "selected": " option ", "disabled": " input textarea select option button fieldset ", "href": " a ",
}

func (h *host) element(key string) any {
	n := h.n
	if tags := holders[key]; tags != "" && !browser.Listed(tags, n.Data) {
		return nil
	}
	switch key {
	case "innerText":
		if n.Namespace != "" {
			return goja.Undefined()
		}
		return h.page.InnerText(n)
	case "textContent":
		return browser.TextContent(n)
	case "className":
		return browser.Attr(n, "class")
	case "tagName":
		return strings.ToUpper(n.Data)
	case "getAttribute":
		return func(name string) any {
			if v, ok := browser.Lookup(n, strings.ToLower(name)); ok {
				return v
			}
			return nil
		}
	case "value":
		return browser.Value(n)
	case "type":
		return browser.Kind(n)
	case "checked", "selected":
		return browser.On(n)
	case "href":
		if u, err := browser.Resolve(h.page.URL, browser.Attr(n, key)); err == nil && browser.Has(n, key) {
			return u.String()
		}
		return browser.Attr(n, key)
	case "disabled":
		return browser.Has(n, key)
	case "id", "name":
		return browser.Attr(n, key)
	}
	return nil
}
