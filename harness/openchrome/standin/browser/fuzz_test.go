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
		b := New(nil)
		b.push(p)
		for n := range p.Doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if text := p.InnerText(n); !utf8.ValidString(text) {
				t.Fatalf("InnerText = %q", text)
			}
			p.Visible(n)
			p.Size(n)
			p.Value(n)
			p.Checked(n)
			if n.Data == "form" {
				p.entries(n, nil)
				p.invalid(n)
			}
			if n.Data == "a" {
				href, _ := Attr(n, "href")
				p.Resolve(href)
			}
		}
	})
}

// A selector either matches, or is refused, or is said to be unsupported.
func FuzzSelector(f *testing.F) {
	for _, s := range []string{"p", "li[", "a:not(b)", ":nth-child(2n+1)", "::before", "\\", "#\\31 ", "a|b", ":has(> p)", ":checked", "[a='", "p:contains(x", ":not(:not(:not(a)))"} {
		f.Add(s)
	}
	p := parsePage(f, "<ul><li>1<li class=x>2</ul><form><input type=checkbox checked><select><option selected>a</select>")
	f.Fuzz(func(t *testing.T, selector string) {
		if len(selector) > 1000 {
			return
		}
		all, err := p.All(p.Doc, selector)
		first, err2 := p.First(p.Doc, selector)
		if (err == nil) != (err2 == nil) || len(all) > 0 != (first != nil) || len(all) > 0 && all[0] != first {
			t.Errorf("All(%q) = %v, %v; First = %v, %v", selector, all, err, first, err2)
		}
		for n := range p.Doc.Descendants() {
			if len(n.Attr) > 0 && n.Attr[len(n.Attr)-1].Key == checkedMark {
				t.Fatal("a mark stayed")
			}
		}
	})
}

// What ParseURL takes it also takes again, unchanged.
func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"https://example.com/a?b#c", "//x", "?q", "#", "http:\\\\x", "http://[::1]/", "%", "a b", "http://x:99999"} {
		f.Add(s)
	}
	base, err := ParseURL("https://example.com/d/p?q#f", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := ParseURL(raw, base)
		if err != nil || u.Opaque != "" {
			return
		}
		again, err := ParseURL(u.String(), nil)
		if err != nil || again.String() != u.String() {
			t.Errorf("ParseURL(%q) = %q, and of that %v, %v", raw, u, again, err)
		}
	})
}
