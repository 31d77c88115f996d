package browser

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// rule is one that shows or hides elements.
type rule struct {
	sel     cascadia.Sel
	display display
}

// sheet is the rules of a page that change which text is shown. doubt says
// what in the style sheets is beyond this browser, or is empty.
type sheet struct {
	rules []rule
	doubt string
}

var displayValues = map[string]display{
	"none": none, "block": block, "flow-root": block, "list-item": block, "inline": inline, "inline-block": atomic,
}

var (
	// cssNoise matches comments, and texts with brackets in them.
	cssNoise = regexp.MustCompile(`(?s)/\*.*?(\*/|$)|"[^"]*[{};][^"]*"|'[^']*[{};][^']*'`)
	cssAt    = regexp.MustCompile(`@[^{};]*(;|\{([^{}]*\{[^{}]*\})*[^{}]*\})`)
	cssRule  = regexp.MustCompile(`([^{}]*)\{([^{}]*)\}?`)
	// cssText matches declarations that can change the text of a page.
	cssText = regexp.MustCompile(`(?i)(?:^|[;{\s])(display|visibility|white-space|text-transform|float|position|content-visibility|all)\s*:\s*([^;}]*)`)
	// harmless are values of theirs that change nothing.
	harmless = regexp.MustCompile(`^(visible|normal|nowrap|none|static|relative|sticky)$`)
)

// parse adds the rules of one style sheet.
func (s *sheet) parse(css string) {
	css = cssNoise.ReplaceAllString(css, " ")
	css = cssAt.ReplaceAllStringFunc(css, func(at string) string {
		name, body, _ := strings.Cut(at, "{")
		if strings.HasPrefix(name, "@import") || cssText.MatchString(body) && strings.TrimSpace(name) != "@media print" {
			s.doubt = name
		}
		return ""
	})
	for _, m := range cssRule.FindAllStringSubmatch(css, -1) {
		d := s.declared(m[2])
		if d == 0 {
			continue
		}
		group, err := parseSelector(m[1])
		if _, beyond := err.(Unsupported); beyond {
			s.doubt = "selector " + strings.TrimSpace(m[1])
		}
		for _, sel := range group { // an invalid selector drops its rule
			s.rules = append(s.rules, rule{sel, d})
		}
	}
}

// declared is the display that a declaration block sets, or 0.
func (s *sheet) declared(body string) (d display) {
	for _, m := range cssText.FindAllStringSubmatch(body, -1) {
		prop, value := strings.ToLower(m[1]), strings.ToLower(strings.TrimSpace(m[2]))
		switch known := displayValues[value]; {
		case prop == "display" && known != 0:
			d = known
		case prop == "display" || !harmless.MatchString(value):
			s.doubt = prop + ": " + value
		}
	}
	return d
}

// display is what the style sheets and the style attribute say of n, or 0.
func (s *sheet) display(n *html.Node) display {
	style, _ := Attr(n, "style")
	if d := s.declared(style); d != 0 {
		return d
	}
	var won rule
	for _, r := range s.rules {
		if r.sel.Match(n) && (won.sel == nil || !r.sel.Specificity().Less(won.sel.Specificity())) {
			won = r
		}
	}
	return won.display
}

// Unsupported is a selector feature that Chromium has, or may have, and this
// browser has not, by name.
type Unsupported string

func (u Unsupported) Error() string { return "selector " + string(u) + " is not supported" }

// ErrSelector is the error for a selector that Chromium refuses too.
var ErrSelector = errors.New("not a valid selector")

// pseudo are the pseudo-classes that cascadia answers as Chromium does.
const pseudo = " first-child last-child only-child first-of-type last-of-type only-of-type nth-child nth-last-child nth-of-type" +
	" nth-last-of-type empty not has root enabled disabled checked "

var (
	quoted    = regexp.MustCompile(`"(\\.|[^"\\])*"|'(\\.|[^'\\])*'`)
	pseudoUse = regexp.MustCompile(`:+([a-zA-Z-]+)`)
	otherwise = regexp.MustCompile(`[!#]=|\||\\|:has\(\s*[>+~]|\sof\s|#[0-9]|\[[^\]]+$|["']`) // what cascadia reads otherwise than a browser
)

// parseSelector compiles a selector list. Its errors are [ErrSelector] and
// [Unsupported].
func parseSelector(text string) (cascadia.SelectorGroup, error) {
	bare := quoted.ReplaceAllString(text, "")
	for _, use := range pseudoUse.FindAllStringSubmatch(bare, -1) {
		if strings.HasPrefix(use[0], ":::") {
			return nil, ErrSelector
		}
		if !strings.Contains(pseudo, " "+strings.ToLower(use[1])+" ") {
			return nil, Unsupported(use[0])
		}
	}
	if odd := otherwise.FindString(bare); odd != "" {
		return nil, Unsupported("with " + odd)
	}
	group, err := cascadia.ParseGroup(strings.ReplaceAll(text, ":checked", "["+checkedMark+"]"))
	if err != nil {
		return nil, ErrSelector
	}
	return group, nil
}

// checkedMark is the attribute that stands for :checked in a selector; cascadia
// itself takes :checked from the page's attributes, not from the live state.
const checkedMark = "standin-checked"

// All is querySelectorAll below n (the document node for the whole page), in
// tree order.
func (p *Page) All(n *html.Node, selector string) ([]*html.Node, error) {
	group, err := parseSelector(selector)
	if err != nil {
		return nil, err
	}
	if strings.Contains(selector, ":checked") {
		for n := range p.Doc.Descendants() {
			n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == checkedMark })
			if p.Checked(n) || n.DataAtom == atom.Option && p.Selected(n) {
				n.Attr = append(n.Attr, html.Attribute{Key: checkedMark})
			}
		}
	}
	return cascadia.QueryAll(n, group), nil
}
