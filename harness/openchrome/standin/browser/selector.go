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
	found := scanSelector(text)
	for _, name := range found.pseudo {
		if strings.Contains(invented, " "+name+" ") {
			return nil, ErrSelector
		}
		if strings.Contains(lacking, " "+name+" ") {
			return nil, Unsupported(":" + name)
		}
	}
	switch {
	case found.invalid:
		return nil, ErrSelector
	case found.lacking != "":
		return nil, Unsupported(found.lacking)
	}
	group, err := cascadia.ParseGroup(mark(text + found.open))
	if err != nil {
		return nil, ErrSelector
	}
	return group, nil
}

// scanned is what cascadia reads otherwise than a browser.
type scanned struct {
	pseudo  []string // names after colons
	invalid bool     // what only cascadia allows
	lacking string   // what only browsers allow
	open    string   // what a browser closes by itself at the end
}

func scanSelector(s string) (f scanned) {
	var quote byte
	var closers []byte
	for i := 0; i < len(s); i++ {
		attr := len(closers) > 0 && closers[len(closers)-1] == ']'
		next := s[min(i+1, len(s)-1)]
		switch c := s[i]; {
		case c == '\\':
			if i++; i == len(s) {
				f.lacking = "that ends in a backslash"
			}
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '(':
			closers = append(closers, map[byte]byte{'[': ']', '(': ')'}[c])
		case (c == ']' || c == ')') && len(closers) > 0:
			closers = closers[:len(closers)-1]
		case attr && (c == '!' || c == '#') && next == '=':
			f.invalid = true
		case attr:
		case c == '#' && next >= '0' && next <= '9':
			f.invalid = true
		case c == '|':
			f.lacking = "with a namespace"
		case c == ':':
			j := i + 1
			for j < len(s) && (s[j] == '-' || s[j]|0x20 >= 'a' && s[j]|0x20 <= 'z') {
				j++
			}
			name, rest := strings.ToLower(s[i+1:j]), strings.TrimLeft(s[j:], "( \t\n")
			if name == "has" && rest != "" && strings.ContainsRune(">+~", rune(rest[0])) {
				f.lacking = ":has( with a combinator"
			}
			if argument, _, _ := strings.Cut(rest, ")"); strings.HasPrefix(name, "nth-") && strings.Contains(argument, " of ") {
				f.lacking = ":" + name + " of"
			}
			f.pseudo = append(f.pseudo, name)
			i = j - 1
		}
	}
	if quote != 0 {
		f.open = string(quote)
	}
	for i := len(closers) - 1; i >= 0; i-- {
		f.open += string(closers[i])
	}
	return f
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
