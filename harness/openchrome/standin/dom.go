package standin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// realm is one evaluation: a fresh runtime with a view of one page.
type realm struct {
	vm     *goja.Runtime
	page   *browser.Page
	nodes  map[*html.Node]*goja.Object
	lists  *goja.Object   // the prototype of lists
	beyond browser.Beyond // the first thing that was refused
}

func newRealm(p *browser.Page) *realm {
	r := &realm{vm: goja.New(), page: p, nodes: map[*html.Node]*goja.Object{}}
	r.vm.SetMaxCallStackSize(maxStack)
	global := r.vm.GlobalObject()
	location := r.vm.NewDynamicObject(&host{r, "location", nil})
	for name, v := range map[string]goja.Value{"document": r.node(p.Doc), "window": global, "location": location} {
		must(global.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
	}
	// Every other name, whether it is a browser's or no one's, is refused.
	must(global.SetPrototype(r.vm.NewDynamicObject(&host{r, "window", nil})))
	return r
}

func must(err error) {
	if err != nil {
		panic("standin: " + err.Error())
	}
}

// refuse ends the evaluation: try and catch of the code do not see it.
func (r *realm) refuse(what string) {
	if r.beyond == "" {
		r.beyond = browser.Beyond(what)
	}
	r.vm.Interrupt(r.beyond)
}

// node is the one object for n, or null.
func (r *realm) node(n *html.Node) goja.Value {
	if n == nil {
		return goja.Null()
	}
	if r.nodes[n] == nil {
		class := "element"
		if n.Type == html.DocumentNode {
			class = "document"
		}
		r.nodes[n] = r.vm.NewDynamicObject(&host{r, class, n})
	}
	return r.nodes[n]
}

// list is a NodeList: an array with the methods of a NodeList only.
func (r *realm) list(nodes []*html.Node) goja.Value {
	if r.lists == nil {
		array := r.vm.Get("Array").ToObject(r.vm).Get("prototype").ToObject(r.vm)
		r.lists = r.vm.NewObject()
		must(r.lists.SetSymbol(goja.SymIterator, array.Get("values")))
		for _, name := range []string{"forEach", "entries", "keys", "values"} {
			must(r.lists.Set(name, array.Get(name)))
		}
	}
	items := make([]any, len(nodes))
	for i, n := range nodes {
		items[i] = r.node(n)
	}
	o := r.vm.NewArray(items...)
	must(o.SetPrototype(r.lists))
	return o
}

// host is an object of the page: an element, the document, the location, or
// what lies behind the global object. It implements [goja.DynamicObject].
type host struct {
	*realm
	class string
	node  *html.Node // of an element or the document
}

// Get answers a property. What the view does not have ends the evaluation; it
// is never silently undefined.
func (h *host) Get(key string) goja.Value {
	if h.node != nil && (key == "then" || key == "toJSON") {
		return goja.Undefined() // asked by await and JSON.stringify; no node has them
	}
	var v any
	switch h.class {
	case "element":
		v = h.element(key)
	case "document":
		v = h.document(key)
	case "location":
		v = h.location(key)
	}
	if v == nil && key == "valueOf" {
		return nil // the prototype has it
	}
	if v == nil {
		h.refuse(h.class + "." + key)
	}
	return h.vm.ToValue(v)
}

// Has reports whether key is a property.
func (h *host) Has(key string) bool { return h.Get(key) != nil }

// Keys lists nothing: the properties are those of a prototype.
func (h *host) Keys() []string { return nil }

// Set refuses: the view is read-only.
func (h *host) Set(key string, _ goja.Value) bool { return h.Delete(key) }

// Delete refuses: the view is read-only.
func (h *host) Delete(key string) bool {
	h.refuse("changing " + h.class + "." + key)
	return true
}

// show formats a page object as javascript_tool does: <a id="x" class="y">.
func (h *host) show() string {
	switch h.class {
	case "document":
		return "#document"
	case "location":
		h.refuse("showing the location")
		return ""
	}
	out := "<" + h.node.Data
	if id := attr(h.node, "id"); id != "" {
		out += ` id="` + id + `"`
	}
	if class := oneLine(attr(h.node, "class")); class != "" {
		out += ` class="` + class + `"`
	}
	return out + ">"
}

func (h *host) location(key string) any {
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
	case "URL":
		return h.page.URL.String()
	case "location":
		return h.vm.Get(key)
	case "body":
		return h.realm.node(h.page.Body())
	case "documentElement":
		return h.realm.node(h.page.Root())
	case "getElementById":
		return func(id string) goja.Value { return h.realm.node(h.page.ByID(id)) }
	}
	return h.selecting("Document", key)
}

// selecting answers querySelector and querySelectorAll. For an invalid selector
// it throws what a browser throws, in its words.
func (h *host) selecting(owner, key string) any {
	if key != "querySelector" && key != "querySelectorAll" {
		return nil
	}
	return func(selector string) goja.Value {
		found, err := h.page.All(h.node, selector)
		if u, ok := errors.AsType[browser.Unsupported](err); ok {
			h.refuse("the selector " + string(u))
		} else if err != nil {
			message := fmt.Sprintf("Failed to execute '%s' on '%s': '%s' is not a valid selector.", key, owner, selector)
			thrown, err := h.vm.New(h.vm.Get("SyntaxError"), h.vm.ToValue(message))
			must(err)
			panic(thrown)
		}
		switch {
		case key == "querySelectorAll":
			return h.list(found)
		case len(found) == 0:
			return goja.Null()
		}
		return h.realm.node(found[0])
	}
}

// holders are the elements that have a property. On others it is refused.
var holders = map[string]string{
	"value": " input textarea select option button ", "name": " input textarea select button form fieldset ", "type": " input textarea select button ",
	"checked": " input ", "selected": " option ", "disabled": " input textarea select option button fieldset ", "href": " a ",
}

func (h *host) element(key string) any {
	n := h.node
	if tags := holders[key]; tags != "" && !contains(tags, n.Data) {
		return nil
	}
	value, has := browser.Attr(n, key)
	switch key {
	case "innerText":
		if n.Namespace != "" {
			return goja.Undefined()
		}
		return h.page.InnerText(n)
	case "textContent":
		return browser.TextContent(n)
	case "className":
		return attr(n, "class")
	case "tagName":
		return strings.ToUpper(n.Data)
	case "getAttribute":
		return func(name string) any {
			if v, ok := browser.Attr(n, strings.ToLower(name)); ok {
				return v
			}
			return nil
		}
	case "value":
		return h.page.Value(n)
	case "type":
		return browser.Type(n)
	case "checked":
		return h.page.Checked(n)
	case "selected":
		return h.page.Selected(n)
	case "href":
		return h.page.Resolve(value)
	case "disabled":
		return has
	case "id", "name":
		return value
	}
	return h.selecting("Element", key)
}
