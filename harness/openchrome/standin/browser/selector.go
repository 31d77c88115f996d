package browser

import (
	"errors"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// Unsupported is a selector feature that Chromium has and this browser has
// not, by name.
type Unsupported string

func (u Unsupported) Error() string { return "selector " + string(u) + " is not supported" }

// ErrSelector is the error for a selector that Chromium refuses too.
var ErrSelector = errors.New("not a valid selector")

// checkedMark is the name, and the namespace, of the attribute that stands for
// :checked while a selector is matched.
const checkedMark = "standin-checked"

// Pseudo-classes that cascadia invented, and those that it lacks or answers
// without looking. The rest of Chromium's are in neither: cascadia has them.
var (
	invented = " contains containsown matches matchesown haschild input "
	lacking  = " is where focus focus-within focus-visible hover active visited target target-within any-link link scope defined indeterminate" +
		" default placeholder-shown read-only read-write required optional valid invalid user-valid user-invalid in-range out-of-range" +
		" host host-context dir autofill open modal fullscreen popover-open paused playing current past future state lang" +
		" before after first-line first-letter backdrop cue marker placeholder selection file-selector-button "
)

// parseSelector compiles a selector list. Its errors are [ErrSelector] and
// [Unsupported].
func parseSelector(text string) (cascadia.SelectorGroup, error) {
	pseudo, odd := scanSelector(text)
	for _, name := range pseudo {
		if strings.Contains(invented, " "+name+" ") {
			return nil, ErrSelector
		}
		if strings.Contains(lacking, " "+name+" ") {
			return nil, Unsupported(":" + name)
		}
	}
	if odd {
		return nil, ErrSelector
	}
	group, err := cascadia.ParseGroup(mark(text))
	if err != nil {
		return nil, ErrSelector
	}
	return group, nil
}

// scanSelector lists the names after colons and tells whether the text uses
// one of cascadia's own attribute operators.
func scanSelector(s string) (pseudo []string, odd bool) {
	var quote byte
	attr := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			attr = true
		case c == ']':
			attr = false
		case attr && (c == '!' || c == '#') && i+1 < len(s) && s[i+1] == '=':
			odd = true
		case c == ':' && !attr:
			j := i + 1
			for j < len(s) && (s[j] == '-' || s[j]|0x20 >= 'a' && s[j]|0x20 <= 'z') {
				j++
			}
			pseudo = append(pseudo, strings.ToLower(s[i+1:j]))
			i = j - 1
		}
	}
	return pseudo, odd
}

// mark replaces :checked, which cascadia takes from the attributes, by the
// attribute that [Page.All] sets from the live state.
func mark(text string) string {
	if !strings.Contains(text, ":checked") {
		return text
	}
	return strings.ReplaceAll(text, ":checked", "["+checkedMark+"]")
}

// All is querySelectorAll below n (the document node for the whole page), in
// tree order.
func (p *Page) All(n *html.Node, selector string) ([]*html.Node, error) {
	group, err := parseSelector(selector)
	if err != nil {
		return nil, err
	}
	if strings.Contains(selector, ":checked") {
		defer p.markChecked()()
	}
	return cascadia.QueryAll(n, group), nil
}

// First is querySelector: the first match below n, or nil.
func (p *Page) First(n *html.Node, selector string) (*html.Node, error) {
	group, err := parseSelector(selector)
	if err != nil {
		return nil, err
	}
	if strings.Contains(selector, ":checked") {
		defer p.markChecked()()
	}
	return cascadia.Query(n, group), nil
}

// Matches reports whether n itself matches selector.
func (p *Page) Matches(n *html.Node, selector string) (bool, error) {
	group, err := parseSelector(selector)
	if err != nil {
		return false, err
	}
	if strings.Contains(selector, ":checked") {
		defer p.markChecked()()
	}
	return group.Match(n), nil
}

// markChecked marks what is checked or selected; its result takes the marks
// off again.
func (p *Page) markChecked() func() {
	var marked []*html.Node
	for n := range p.Doc.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "input" && p.Checked(n) || n.Data == "option" && p.Selected(n)) {
			n.Attr = append(n.Attr, html.Attribute{Key: checkedMark, Namespace: checkedMark})
			marked = append(marked, n)
		}
	}
	return func() {
		for _, n := range marked {
			n.Attr = n.Attr[:len(n.Attr)-1]
		}
	}
}
