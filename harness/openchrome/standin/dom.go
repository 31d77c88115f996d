package standin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// show formats a page object as javascript_tool does: <a id="x" class="y">,
// #document, [7 elements].
func (h *host) show() string {
	switch {
	case h.nodes != nil:
		return fmt.Sprintf("[%d elements]", len(h.nodes))
	case h.class == "document":
		return "#document"
	case h.class == "Text":
		return "#text"
	case h.class == "location":
		return pretty(h.plain())
	}
	out := "<" + h.node.Data
	if id := attr(h.node, "id"); id != "" {
		out += ` id="` + id + `"`
	}
	if class := strings.Fields(attr(h.node, "class")); len(class) > 0 {
		out += ` class="` + strings.Join(class, " ") + `"`
	}
	return out + ">"
}

// plain is the location as JSON shows it.
func (h *host) plain() object {
	var o object
	for _, k := range h.keys {
		if k == "ancestorOrigins" {
			o = append(o, field{k, object{}})
		} else {
			o = append(o, field{k, h.get(k).String()})
		}
	}
	return o
}

// node is the one object for n, or null.
func (r *realm) node(n *html.Node) goja.Value {
	if n == nil {
		return goja.Null()
	}
	if o := r.nodes[n]; o != nil {
		return o
	}
	h := &host{r: r, node: n, class: "Element"}
	switch n.Type {
	case html.DocumentNode:
		h.class = "document"
		h.get = func(key string) goja.Value { return r.documentProperty(n, key) }
	case html.ElementNode:
		h.get = func(key string) goja.Value { return r.elementProperty(n, key) }
	default:
		h.class = map[html.NodeType]string{html.TextNode: "Text", html.CommentNode: "Comment"}[n.Type]
		h.get = func(key string) goja.Value { return r.nodeProperty(n, h.class, key) }
	}
	o := r.vm.NewDynamicObject(h)
	r.nodes[n] = o
	return o
}

// sequence is a NodeList or an HTMLCollection.
func (r *realm) sequence(nodes []*html.Node, class string) goja.Value {
	if nodes == nil {
		nodes = []*html.Node{}
	}
	keys := make([]string, len(nodes))
	for i := range nodes {
		keys[i] = strconv.Itoa(i)
	}
	h := &host{r: r, class: class, nodes: nodes, keys: keys}
	h.get = func(key string) goja.Value {
		if i, err := strconv.Atoi(key); err == nil {
			if i < 0 || i >= len(nodes) {
				return nil
			}
			return r.node(nodes[i])
		}
		switch key {
		case "length":
			return r.vm.ToValue(len(nodes))
		case "item":
			return r.function(func(c goja.FunctionCall) goja.Value {
				if i := int(c.Argument(0).ToInteger()); i >= 0 && i < len(nodes) {
					return r.node(nodes[i])
				}
				return goja.Null()
			})
		case "forEach", "entries", "keys", "values":
			if class == "NodeList" {
				return nil // from the prototype
			}
		case "valueOf":
			return nil
		case "map", "filter", "reduce", "slice", "some", "every", "find", "join", "concat", "push", "indexOf", "includes", "flatMap", "at":
			return goja.Undefined() // arrays have them, these lists have not
		}
		return r.missing(class, key)
	}
	o := r.vm.NewDynamicObject(h)
	if err := o.SetPrototype(r.proto(class)); err != nil {
		panic("standin: " + err.Error())
	}
	return o
}

func (r *realm) missing(class, key string) goja.Value {
	r.refuse(class + "." + key)
	return goja.Undefined()
}

func (r *realm) function(f func(goja.FunctionCall) goja.Value) goja.Value {
	return r.vm.ToValue(func(c goja.FunctionCall) goja.Value {
		if r.dead.Load() {
			return goja.Undefined()
		}
		return f(c)
	})
}

// query is querySelector and its relatives. what names it in error texts.
func (r *realm) query(what string, f func(selector string) (goja.Value, error)) goja.Value {
	return r.function(func(c goja.FunctionCall) goja.Value {
		selector := c.Argument(0).String()
		v, err := f(selector)
		if u, ok := errors.AsType[browser.Unsupported](err); ok {
			r.refuse("the selector " + string(u))
			return goja.Undefined()
		}
		if err != nil {
			method, owner, _ := strings.Cut(what, " on ")
			e, _ := r.vm.New(r.vm.Get("Error"), r.vm.ToValue(fmt.Sprintf("Failed to execute '%s' on '%s': '%s' is not a valid selector.", method, owner, selector)))
			e.DefineDataProperty("name", r.vm.ToValue("SyntaxError"), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
			e.DefineDataProperty("code", r.vm.ToValue(12), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
			panic(e)
		}
		return v
	})
}

// selecting answers querySelector and querySelectorAll of a document or an
// element, nil for another key.
func (r *realm) selecting(n *html.Node, owner, key string) goja.Value {
	switch key {
	case "querySelector":
		return r.query(key+" on "+owner, func(s string) (goja.Value, error) {
			found, err := r.page.First(n, s)
			return r.node(found), err
		})
	case "querySelectorAll":
		return r.query(key+" on "+owner, func(s string) (goja.Value, error) {
			found, err := r.page.All(n, s)
			return r.sequence(found, "NodeList"), err
		})
	case "getElementsByTagName", "getElementsByClassName":
		return r.function(func(c goja.FunctionCall) goja.Value {
			name, byClass := c.Argument(0).String(), key == "getElementsByClassName"
			var found []*html.Node
			for e := range n.Descendants() {
				if e.Type == html.ElementNode && (byClass && contains(" "+strings.Join(strings.Fields(attr(e, "class")), " ")+" ", name) ||
					!byClass && (name == "*" || e.Data == strings.ToLower(name))) {
					found = append(found, e)
				}
			}
			return r.sequence(found, "HTMLCollection")
		})
	case "children":
		return r.sequence(childElements(n), "HTMLCollection")
	case "childElementCount":
		return r.vm.ToValue(len(childElements(n)))
	case "firstElementChild":
		return r.node(first(childElements(n)))
	}
	return nil
}

func childElements(n *html.Node) []*html.Node {
	var out []*html.Node
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode {
			out = append(out, c)
		}
	}
	return out
}

func first(nodes []*html.Node) *html.Node {
	if len(nodes) == 0 {
		return nil
	}
	return nodes[0]
}

func (r *realm) documentProperty(n *html.Node, key string) goja.Value {
	if v := r.selecting(n, "Document", key); v != nil {
		return v
	}
	p := r.page
	switch key {
	case "title":
		return r.vm.ToValue(p.Title())
	case "URL", "documentURI":
		return r.vm.ToValue(p.URL.String())
	case "location":
		return r.vm.Get("location")
	case "readyState":
		return r.vm.ToValue("complete")
	case "body":
		return r.node(p.Body())
	case "documentElement":
		return r.node(p.Root())
	case "activeElement":
		if p.Active != nil {
			return r.node(p.Active)
		}
		return r.node(p.Body())
	case "getElementById":
		return r.function(func(c goja.FunctionCall) goja.Value {
			id := c.Argument(0).String()
			for e := range n.Descendants() {
				if e.Type == html.ElementNode && id != "" && attr(e, "id") == id {
					return r.node(e)
				}
			}
			return goja.Null()
		})
	case "textContent", "nodeValue", "parentNode", "parentElement":
		return goja.Null()
	case "toString":
		return r.vm.ToValue(func() string { return "[object HTMLDocument]" })
	}
	return r.nodeProperty(n, "document", key)
}

// nodeProperty answers what every node has.
func (r *realm) nodeProperty(n *html.Node, class, key string) goja.Value {
	switch key {
	case "textContent":
		return r.vm.ToValue(browser.TextContent(n))
	case "nodeType":
		return r.vm.ToValue(map[html.NodeType]int{html.ElementNode: 1, html.TextNode: 3, html.CommentNode: 8, html.DocumentNode: 9}[n.Type])
	case "nodeName":
		return r.vm.ToValue(map[html.NodeType]string{html.ElementNode: strings.ToUpper(n.Data), html.TextNode: "#text", html.CommentNode: "#comment", html.DocumentNode: "#document"}[n.Type])
	case "nodeValue", "data":
		if n.Type == html.TextNode || n.Type == html.CommentNode {
			return r.vm.ToValue(n.Data)
		}
		return goja.Null()
	case "firstChild":
		return r.node(n.FirstChild)
	case "lastChild":
		return r.node(n.LastChild)
	case "nextSibling":
		return r.node(n.NextSibling)
	case "previousSibling":
		return r.node(n.PrevSibling)
	case "parentNode":
		return r.node(n.Parent)
	case "parentElement":
		if n.Parent != nil && n.Parent.Type == html.ElementNode {
			return r.node(n.Parent)
		}
		return goja.Null()
	case "childNodes":
		var all []*html.Node
		for c := range n.ChildNodes() {
			all = append(all, c)
		}
		return r.sequence(all, "NodeList")
	case "contains":
		return r.function(func(c goja.FunctionCall) goja.Value {
			o, _ := c.Argument(0).Export().(*host)
			for a := (*html.Node)(nil); o != nil; o = nil {
				for a = o.node; a != nil; a = a.Parent {
					if a == n {
						return r.vm.ToValue(true)
					}
				}
			}
			return r.vm.ToValue(false)
		})
	case "valueOf":
		return nil
	}
	return r.missing(class, key)
}
