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
