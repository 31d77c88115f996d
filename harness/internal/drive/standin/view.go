package standin

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

// view is what an expression sees of a page. Nothing in it can be changed. What a browser
// has and the view does not ends the evaluation, instead of being undefined.
type view struct {
	ctx  context.Context
	page *browser.Page
	left int // work that the expression may still cause
	deep int // how deep the recursion is, see deepen
}

// spend bounds time and memory: each step of an expression and each item and byte that it
// makes costs one.
func (v *view) spend(n int) {
	if v.ctx.Err() != nil {
		panic(thrown{context.Cause(v.ctx)})
	}
	if v.left -= n; v.left < 0 {
		refuse(tooLong)
	}
}

const perCall = maxCode / maxCalls

// deepen bounds the stack: it counts a call, or an array in an array, until the function that
// it returns is called. size is the number of tokens of what is called, because long code also
// takes much stack.
func (v *view) deepen(size int) func() {
	if v.deep += perCall + size; v.deep > maxCode+perCall {
		refuse(tooLong)
	}
	return func() { v.deep -= perCall + size }
}

func node(n *html.Node) any {
	if n == nil {
		return null{}
	}
	return n
}

func (v *view) location(key string) any {
	u := v.page.URL
	return map[string]any{
		"href": u.String(), "origin": u.Scheme + "://" + u.Host, "protocol": u.Scheme + ":", "host": u.Host,
		"hostname": u.Hostname(), "port": u.Port(), "pathname": u.EscapedPath(),
		"search": strings.TrimSuffix("?"+u.RawQuery, "?"), "hash": strings.TrimSuffix("#"+u.EscapedFragment(), "#"),
	}[key]
}

func (v *view) document(key string) any {
	if v.page.Failed() && !browser.Listed(" location URL readyState ", key) {
		refuse("an error page")
	}
	switch key {
	case "title":
		return v.page.Title()
	case "readyState":
		return "complete" // without scripts, a displayed page has always loaded
	case "URL":
		return v.page.URL.String()
	case "location":
		return global(key)
	case "body":
		return node(v.page.Element(atom.Body))
	case "documentElement":
		return node(v.page.Element(atom.Html))
	}
	return nil
}

// holders lists the elements that have a property. On other elements the property is refused.
var holders = map[string]string{
	"value": " input textarea select option button ", "name": " input textarea select button form fieldset ", "type": " input textarea select button ",
	"checked": " input ", "selected": " option ", "disabled": " input textarea select option button fieldset ", "href": " a ",
}

func (v *view) element(n *html.Node, key string) any {
	if tags := holders[key]; tags != "" && !browser.Listed(tags, n.Data) {
		return nil
	}
	switch key {
	case "innerText":
		if n.Namespace != "" {
			return undefined{}
		}
		return v.page.InnerText(n)
	case "textContent":
		return browser.TextContent(n)
	case "className":
		return browser.Attr(n, "class")
	case "tagName":
		return strings.ToUpper(n.Data)
	case "value":
		return browser.Value(n)
	case "type":
		return browser.Kind(n)
	case "checked", "selected":
		return browser.On(n)
	case "href":
		if u, err := browser.Resolve(v.page.URL, browser.Attr(n, key)); err == nil && browser.Has(n, key) {
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
