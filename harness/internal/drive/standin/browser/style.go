package browser

import (
	"errors"
	"regexp"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

var (
	// cssNoise matches comments, and strings that contain brackets.
	cssNoise = regexp.MustCompile(`(?s)/\*.*?(\*/|$)|"[^"]*[{};][^"]*"|'[^']*[{};][^']*'`)
	cssAt    = regexp.MustCompile(`@[^{};]*(;|\{([^{}]*\{[^{}]*\})*[^{}]*\})`)
	cssRule  = regexp.MustCompile(`([^{}]*)\{([^{}]*)\}?`)
	// cssText matches declarations that can change the text of a page.
	cssText = regexp.MustCompile(`(?i)(?:^|[;{\s])(display|visibility|white-space|text-transform|float|position|content-visibility|all)\s*:\s*([^;}]*)`)
	// harmless matches the values of these properties that do not change the text.
	harmless = regexp.MustCompile(`^(visible|normal|nowrap|none|static|relative|sticky)$`)
)

func (p *Page) addSheet(css string) {
	if strings.ContainsAny(css, `"'/`) {
		css = cssNoise.ReplaceAllString(css, " ")
	}
	css = cssAt.ReplaceAllStringFunc(css, func(at string) string {
		name, body, _ := strings.Cut(at, "{")
		if strings.HasPrefix(name, "@import") || cssText.MatchString(body) && strings.TrimSpace(name) != "@media print" {
			p.suspect("style: " + name)
		}
		return ""
	})
	for _, m := range cssRule.FindAllStringSubmatch(css, -1) {
		if !p.styles(m[2]) {
			continue
		}
		group, err := parseSelector(m[1])
		if _, ok := err.(Unsupported); ok {
			p.suspect("style: selector " + strings.TrimSpace(m[1]))
		}
		p.hides = append(p.hides, group...) // a rule with an invalid selector is ignored
	}
}

// styles reports whether a declaration block contains display: none.
func (p *Page) styles(body string) (none bool) {
	if !strings.Contains(body, ":") { // most elements have no style
		return false
	}
	for _, m := range cssText.FindAllStringSubmatch(body, -1) {
		property, value := strings.ToLower(m[1]), strings.ToLower(strings.TrimSpace(m[2]))
		none = none || property == "display"
		if !harmless.MatchString(value) || property == "display" && value != "none" {
			p.suspect("style: " + property + ": " + value)
		}
	}
	return none
}

// hidden reports whether n itself, an element, is not displayed.
func (p *Page) hidden(n *html.Node) bool {
	if elements[n.Data] == none || Has(n, "hidden") || Kind(n) == "hidden" || p.styles(Attr(n, "style")) {
		return true
	}
	for _, rule := range p.hides {
		if rule.Match(n) {
			return true
		}
	}
	return false
}

// Unsupported is the name of a selector feature that Chromium supports, or may support, and
// this browser does not.
type Unsupported string

func (u Unsupported) Error() string { return "selector " + string(u) + " is not supported" }

// errSelector is the error for a selector that Chromium rejects too.
var errSelector = errors.New("not a valid selector")

// pseudo are the pseudo-classes that cascadia v1.3.5 matches in the same way as Chromium 156.
const pseudo = " first-child last-child only-child first-of-type last-of-type only-of-type nth-child nth-last-child nth-of-type" +
	" nth-last-of-type empty not has root enabled disabled checked "

var (
	quoted    = regexp.MustCompile(`"(\\.|[^"\\])*"|'(\\.|[^'\\])*'`)
	pseudoUse = regexp.MustCompile(`:+([a-zA-Z-]+)`)
	// otherwise matches syntax that cascadia v1.3.5 does not read like a browser. A newer
	// version may make parts of it unnecessary.
	otherwise = regexp.MustCompile(`[!#]=|\||\\|:has\(\s*[>+~]|\sof\s|#[0-9]|\[[^\]]+$|["']`)
)

// parseSelector compiles a selector list. Its errors are [errSelector] and
// [Unsupported].
func parseSelector(text string) (cascadia.SelectorGroup, error) {
	bare := quoted.ReplaceAllString(text, "")
	for _, use := range pseudoUse.FindAllStringSubmatch(bare, -1) {
		switch {
		case strings.HasPrefix(use[0], ":::"):
			return nil, errSelector
		case !Listed(pseudo, strings.ToLower(use[1])):
			return nil, Unsupported(use[0])
		}
	}
	if odd := otherwise.FindString(bare); odd != "" {
		return nil, Unsupported("with " + odd)
	}
	if strings.Count(strings.ToLower(text), ":checked") != strings.Count(bare, ":checked") {
		return nil, Unsupported("with :checked in a string or in capitals")
	}
	// Cascadia reads :checked from the source of the page, not from the live state.
	group, err := cascadia.ParseGroup(strings.ReplaceAll(text, ":checked", "["+liveOn+"]"))
	if err != nil {
		return nil, errSelector
	}
	return group, nil
}

// MayBeSelector reports whether Chromium accepts a selector list, as far as this browser
// knows: it is false only for one that Chromium rejects.
func MayBeSelector(text string) bool {
	_, err := parseSelector(text)
	return err != errSelector
}

// Query works like querySelectorAll below n. The result is in tree order.
func Query(n *html.Node, selector string) ([]*html.Node, error) {
	group, err := parseSelector(selector)
	if err != nil {
		return nil, err
	}
	return cascadia.QueryAll(n, group), nil
}
