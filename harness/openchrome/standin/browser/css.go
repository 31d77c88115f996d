package browser

import (
	"errors"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// decl is one declaration of a property that changes rendered text.
type decl struct {
	prop, value string
	important   bool
}

type rule struct {
	sel   cascadia.Sel
	decls []decl
}

// sheet is the rules of a page that can change its rendered text. doubt says
// what in the style sheets was not understood, or is empty.
type sheet struct {
	rules []rule
	doubt string
}

// maxRules bounds the work that a style sheet can cause.
const maxRules = 2000

// relevant holds the properties that change rendered text. Where the value is
// false the property itself is beyond this browser.
var relevant = map[string]bool{
	"display": true, "visibility": true, "white-space": true, "text-transform": true, "float": true, "position": true,
	"white-space-collapse": false, "content-visibility": false, "-webkit-text-security": false, "all": false,
}

// parse adds the rules of one style sheet. It knows what a sheet needs to hide
// and show text; it never fails.
func (s *sheet) parse(css string) {
	for css = stripComments(css); css != ""; {
		prelude, body, rest := nextRule(css)
		css = rest
		name := strings.ToLower(strings.TrimSpace(prelude))
		switch {
		case name == "" && body == "":
		case strings.HasPrefix(name, "@media"):
			switch q := strings.TrimSpace(name[len("@media"):]); {
			case q == "print" || q == "speech" || q == "not all":
			case q == "" || q == "all" || q == "screen" || q == "only screen":
				s.parse(body)
			default:
				s.mistrust(body, "@media "+q)
			}
		case strings.HasPrefix(name, "@import"):
			s.doubt = "@import"
		case strings.HasPrefix(name, "@"):
			if !strings.HasPrefix(name, "@font-face") && !strings.Contains(name, "keyframes") && !strings.HasPrefix(name, "@page") {
				s.mistrust(body, name)
			}
		default:
			s.add(prelude, body)
		}
	}
}

func (s *sheet) add(prelude, body string) {
	if strings.Contains(body, "{") {
		s.mistrust(body, "nested rules")
		return
	}
	decls := s.declarations(body)
	if len(decls) == 0 || strings.Contains(prelude, "::") || strings.Contains(prelude, ":before") || strings.Contains(prelude, ":after") {
		return
	}
	group, err := parseSelector(prelude)
	if u, ok := errors.AsType[Unsupported](err); ok {
		switch u {
		case ":hover", ":active", ":focus", ":focus-visible", ":focus-within", ":visited": // the state of nobody at rest
		default:
			s.doubt = "selector " + strings.TrimSpace(prelude)
		}
	}
	for _, sel := range group { // an invalid selector drops its rule
		s.rules = append(s.rules, rule{sel, decls})
	}
	if len(s.rules) > maxRules {
		s.rules, s.doubt = s.rules[:maxRules], "too many rules"
	}
}

// mistrust notes what when body sets a property that matters.
func (s *sheet) mistrust(body, what string) {
	for _, part := range strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune("{};", r) }) {
		prop, _, ok := strings.Cut(part, ":")
		if _, matters := relevant[strings.ToLower(strings.TrimSpace(prop))]; ok && matters {
			s.doubt = what
		}
	}
}

// declarations reads the relevant ones out of a declaration block.
func (s *sheet) declarations(body string) []decl {
	var out []decl
	for part := range strings.SplitSeq(body, ";") {
		prop, value, ok := strings.Cut(part, ":")
		prop = strings.ToLower(strings.TrimSpace(prop))
		understood, matters := relevant[prop]
		if !ok || !matters {
			continue
		}
		value = strings.ToLower(strings.TrimSpace(value))
		important := false
		if i := strings.IndexByte(value, '!'); i >= 0 && strings.TrimSpace(value[i+1:]) == "important" {
			value, important = strings.TrimSpace(value[:i]), true
		}
		if !understood || !knownValue(prop, value) {
			s.doubt = prop + ": " + value
			continue
		}
		out = append(out, decl{prop, value, important})
	}
	return out
}

func knownValue(prop, value string) bool {
	switch prop {
	case "display":
		return displays[value] != 0
	case "visibility":
		return value == "visible" || value == "hidden" || value == "inherit"
	case "white-space":
		return strings.Contains(" normal nowrap pre pre-wrap pre-line break-spaces inherit ", " "+value+" ")
	case "text-transform":
		return value == "none" || value == "uppercase" || value == "lowercase" || value == "inherit"
	}
	return !strings.Contains(value, "(")
}

// cascade returns the winning declarations for n by property.
func (s *sheet) cascade(n *html.Node) map[string]string {
	inline, styled := Attr(n, "style")
	if !styled && len(s.rules) == 0 {
		return nil
	}
	type winner struct {
		value     string
		important bool
		spec      cascadia.Specificity
	}
	won := map[string]winner{}
	put := func(d decl, spec cascadia.Specificity) {
		w, ok := won[d.prop]
		if !ok || d.important && !w.important || d.important == w.important && !spec.Less(w.spec) {
			won[d.prop] = winner{d.value, d.important, spec}
		}
	}
	for _, r := range s.rules {
		if r.sel.Match(n) {
			for _, d := range r.decls {
				put(d, r.sel.Specificity())
			}
		}
	}
	if styled {
		for _, d := range s.declarations(inline) {
			put(d, cascadia.Specificity{1 << 20})
		}
	}
	out := map[string]string{}
	for prop, w := range won {
		out[prop] = w.value
	}
	return out
}

func stripComments(css string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(css, "/*")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if _, css, found = strings.Cut(after, "*/"); !found {
			return b.String()
		}
		b.WriteByte(' ')
	}
}

// nextRule splits off the first rule: up to a top-level semicolon for an
// at-rule without a block, else to the end of its block.
func nextRule(css string) (prelude, body, rest string) {
	depth, open := 0, -1
	var quote byte
	for i := 0; i < len(css); i++ {
		switch c := css[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ';' && depth == 0:
			return css[:i], "", css[i+1:]
		case c == '{':
			if depth == 0 {
				open = i
			}
			depth++
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return css[:open], css[open+1 : i], css[i+1:]
			}
		}
	}
	if open >= 0 {
		return css[:open], css[open+1:], ""
	}
	return css, "", ""
}

// sheet reads the style elements of the page and the linked sheets that came
// with it.
func (p *Page) sheet(linked []string) *sheet {
	s := &sheet{}
	for _, css := range linked {
		s.parse(css)
	}
	for n := range p.Doc.Descendants() {
		if n.DataAtom == atom.Style && n.Namespace == "" {
			s.parse(TextContent(n))
		}
	}
	return s
}
