package browser

import (
	"regexp"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
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
