package standin

import (
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// elementProperty answers what elements have. A property that only some
// elements have is undefined on the others, as in a browser.
func (r *realm) elementProperty(n *html.Node, key string) goja.Value {
	if v := r.selecting(n, "Element", key); v != nil {
		return v
	}
	if v := r.controlProperty(n, key); v != nil {
		return v
	}
	str := func(s string) goja.Value { return r.vm.ToValue(s) }
	switch key {
	case "innerText":
		return str(r.page.InnerText(n))
	case "id", "title", "lang":
		return str(attr(n, key))
	case "className":
		return str(attr(n, "class"))
	case "tagName":
		return str(strings.ToUpper(n.Data))
	case "localName":
		return str(n.Data)
	case "hidden":
		_, ok := browser.Attr(n, key)
		return r.vm.ToValue(ok)
	case "getAttribute":
		return r.function(func(c goja.FunctionCall) goja.Value {
			if v, ok := browser.Attr(n, strings.ToLower(c.Argument(0).String())); ok {
				return str(v)
			}
			return goja.Null()
		})
	case "hasAttribute":
		return r.function(func(c goja.FunctionCall) goja.Value {
			_, ok := browser.Attr(n, strings.ToLower(c.Argument(0).String()))
			return r.vm.ToValue(ok)
		})
	case "lastElementChild":
		kids := childElements(n)
		return r.node(first(kids[max(0, len(kids)-1):]))
	case "nextElementSibling":
		for s := n.NextSibling; s != nil; s = s.NextSibling {
			if s.Type == html.ElementNode {
				return r.node(s)
			}
		}
		return goja.Null()
	case "previousElementSibling":
		for s := n.PrevSibling; s != nil; s = s.PrevSibling {
			if s.Type == html.ElementNode {
				return r.node(s)
			}
		}
		return goja.Null()
	case "matches":
		return r.query("matches on Element", func(s string) (goja.Value, error) {
			ok, err := r.page.Matches(n, s)
			return r.vm.ToValue(ok), err
		})
	case "closest":
		return r.query("closest on Element", func(s string) (goja.Value, error) {
			for a := n; a != nil && a.Type == html.ElementNode; a = a.Parent {
				if ok, err := r.page.Matches(a, s); ok || err != nil {
					return r.node(a), err
				}
			}
			_, err := r.page.Matches(n, s)
			return goja.Null(), err
		})
	case "toString":
		if n.Data == "a" || n.Data == "area" {
			return r.vm.ToValue(func() string { return r.page.Resolve(attr(n, "href")) })
		}
	}
	return r.nodeProperty(n, "element", key)
}

// controlProperty answers the properties of controls and links, nil for other
// keys.
func (r *realm) controlProperty(n *html.Node, key string) goja.Value {
	p, tag := r.page, " "+n.Data+" "
	on := func(tags string, v func() any) goja.Value {
		if !strings.Contains(tags, tag) {
			return goja.Undefined()
		}
		return r.vm.ToValue(v())
	}
	flag := func(name string) func() any {
		return func() any { _, ok := browser.Attr(n, name); return ok }
	}
	text := func(name string) func() any { return func() any { return attr(n, name) } }
	switch key {
	case "value":
		if strings.Contains(" li progress meter output data param ", tag) {
			return r.missing("element", n.Data+".value")
		}
		return on(" input textarea select option button ", func() any { return p.Value(n) })
	case "checked":
		return on(" input ", func() any { return p.Checked(n) })
	case "selected":
		return on(" option ", func() any { return p.Selected(n) })
	case "selectedIndex":
		return on(" select ", func() any {
			for i, o := range p.Options(n) {
				if p.Selected(o) {
					return i
				}
			}
			return -1
		})
	case "options":
		if n.Data == "select" {
			return r.sequence(p.Options(n), "HTMLOptionsCollection")
		}
		return goja.Undefined()
	case "text":
		if n.Data == "option" {
			return r.vm.ToValue(strings.Join(strings.Fields(browser.TextContent(n)), " "))
		}
	case "disabled":
		return on(" input textarea select option optgroup button fieldset ", flag(key))
	case "required", "multiple":
		return on(map[string]string{"required": " input textarea select ", "multiple": " input select "}[key], flag(key))
	case "readOnly":
		return on(" input textarea ", flag("readonly"))
	case "open":
		return on(" details dialog ", flag(key))
	case "placeholder":
		return on(" input textarea ", text(key))
	case "alt":
		return on(" img area input ", text(key))
	case "name":
		return on(" input textarea select button form a img meta fieldset output map iframe object slot ", text(key))
	case "type":
		if strings.Contains(" input textarea select button ", tag) {
			return r.vm.ToValue(browser.Type(n))
		}
		return on(" a link script style source embed object ", text(key))
	case "href":
		return on(" a area link base ", func() any { return p.Resolve(attr(n, "href")) })
	case "src":
		return on(" img script input source ", func() any { return p.Resolve(attr(n, "src")) })
	}
	return nil
}
