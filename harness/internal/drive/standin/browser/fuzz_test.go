package browser

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Whatever the page, it is read without a panic, and what it shows is text.
func FuzzPage(f *testing.F) {
	for _, page := range []string{"", "<p>a<br>b", "<table><tr><td>x<td>y", "<style>p{display:none}@media x{</style><p>a", "<pre>\n\n a", "<select><option>a",
		"<details><summary>s</summary>t", strings.Repeat("<div>", 600), "<svg><p>x", "<template><p>x", "<b><i></b></i>", "<style>*{white-space:pre}", "<p style='display:inline-block;white-space:pre-line'> a \n b",
		"<form><input required pattern='('><button>", "<base href='http://['><a href=x>"} {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 1<<14 {
			return
		}
		p := parsePage(t, strings.ToValidUTF8(source, "\ufffd"))
		for n := range p.Doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if text := p.InnerText(n); !utf8.ValidString(text) {
				t.Fatalf("InnerText = %q", text)
			}
			p.Visible(n)
			b := New(nil)
			b.show(p, false)
			b.Click(t.Context(), n)
		}
	})
}

// A selector either matches, or is refused, or is said to be unsupported.
func FuzzSelector(f *testing.F) {
	for _, s := range []string{"p", "li[", "a:not(b)", ":nth-child(2n+1)", "::before", "\\", "#\\31 ", "a|b", ":has(> p)", ":checked", "[a='", "p:contains(x", ":not(:not(:not(a)))", "\u3000"} {
		f.Add(s)
	}
	p := parsePage(f, "<ul><li>1<li class=x>2</ul><form><input type=checkbox checked><select><option selected>a</select>")
	f.Fuzz(func(t *testing.T, selector string) {
		if len(selector) > 1000 {
			return
		}
		if _, err := Query(p.Doc, selector); err == nil && strings.Trim(selector, " \t\n\r\f") == "" {
			t.Errorf("All(%q) took it", selector)
		}
	})
}
