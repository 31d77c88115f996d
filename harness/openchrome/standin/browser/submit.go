package browser

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/dlclark/regexp2/v2"
)

// entries is the form's entry list, already serialized as
// application/x-www-form-urlencoded.
func (p *Page) entries(form, submitter *html.Node) string {
	var b strings.Builder
	put := func(name, value string) {
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(formEscape(name) + "=" + formEscape(value))
	}
	for _, n := range p.controls(form) {
		name, _ := Attr(n, "name")
		t := Type(n)
		switch {
		case p.Disabled(n) || ancestor(n, atom.Datalist) != nil:
		case t == "submit" || t == "image" || t == "reset" || t == "button":
			if n == submitter && name != "" {
				put(name, p.Value(n))
			}
		case name == "":
		case t == "checkbox" || t == "radio":
			if p.Checked(n) {
				put(name, p.Value(n))
			}
		case n.DataAtom == atom.Select:
			for _, o := range options(n) {
				if p.Selected(o) && !p.Disabled(o) {
					put(name, p.Value(o))
				}
			}
		case t == "hidden" && strings.EqualFold(name, "_charset_"):
			put(name, "UTF-8")
		default:
			put(name, p.Value(n))
		}
	}
	return b.String()
}

// controls lists the submittable elements of a form in tree order.
func (p *Page) controls(form *html.Node) []*html.Node {
	var out []*html.Node
	for n := range p.Doc.Descendants() {
		switch n.DataAtom {
		case atom.Input, atom.Button, atom.Select, atom.Textarea:
			if n.Namespace == "" && p.FormOf(n) == form {
				out = append(out, n)
			}
		}
	}
	return out
}

// formEscape differs from url.QueryEscape in two characters and in that line
// breaks become CRLF.
func formEscape(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = url.QueryEscape(strings.ReplaceAll(s, "\n", "\r\n"))
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(s)
}

// invalid returns the first control that keeps the form from being submitted,
// or nil. It checks required, email, pattern, minlength, and min, max and step
// of numbers.
func (p *Page) invalid(form *html.Node) *html.Node {
	for _, n := range p.controls(form) {
		if !p.Disabled(n) && !p.valid(n) {
			return n
		}
	}
	return nil
}

func (p *Page) valid(n *html.Node) bool {
	_, readonly := Attr(n, "readonly")
	t := Type(n)
	if readonly && t != "checkbox" && t != "radio" || n.DataAtom == atom.Button || ancestor(n, atom.Datalist) != nil ||
		strings.Contains(" hidden reset button submit image ", " "+t+" ") {
		return true
	}
	v := p.Value(n)
	_, required := Attr(n, "required")
	switch {
	case t == "radio":
		checked := false
		for _, r := range p.radioGroup(n) {
			_, req := Attr(r, "required")
			required, checked = required || req, checked || p.Checked(r)
		}
		return !required || checked
	case t == "checkbox":
		return !required || p.Checked(n)
	case v == "":
		return !required
	}
	if m, ok := Attr(n, "minlength"); ok && p.state[n].hasValue {
		if least, ok := number(m); ok && float64(len([]rune(v))) < least {
			return false
		}
	}
	if pattern, ok := Attr(n, "pattern"); ok && strings.Contains(" text search tel url email password ", " "+t+" ") && !matches(pattern, v) {
		return false
	}
	switch t {
	case "email":
		return matches("[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*", v)
	case "url":
		u, err := url.Parse(v)
		return err == nil && u.Scheme != ""
	case "number":
		return inRange(n, v)
	}
	return true
}

func inRange(n *html.Node, value string) bool {
	v, _ := number(value)
	limit := func(key string) (float64, bool) {
		s, _ := Attr(n, key)
		return number(s)
	}
	least, hasMin := limit("min")
	most, hasMax := limit("max")
	step, hasStep := limit("step")
	if any, _ := Attr(n, "step"); strings.EqualFold(any, "any") {
		step = 0
	} else if !hasStep || step <= 0 {
		step = 1
	}
	if hasMin && v < least || hasMax && v > most {
		return false
	}
	if step == 0 {
		return true
	}
	steps := (v - least) / step
	return steps-float64(int64(steps+0.5)) < 1e-9 && float64(int64(steps+0.5))-steps < 1e-9 || v < least
}

// matches is a pattern attribute: a JavaScript regular expression for the
// whole value. A pattern that does not compile is no constraint.
func matches(pattern, v string) bool {
	re, err := regexp2.Compile("^(?:"+pattern+")$", regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return true
	}
	re.MatchTimeout = patternTimeout
	ok, err := re.MatchString(v)
	return ok || err != nil
}

// number reads a valid floating-point number of the HTML standard.
func number(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.eE+-") != "" || strings.HasPrefix(s, "+") || strings.HasSuffix(s, ".") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}
