package standin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

const (
	javaScript = "JavaScript execution error"
	noScript   = "a script that does not read one innerText"
)

// innerText matches a script that reads one text, and its selector.
var innerText = regexp.MustCompile(`^document\.(?:body|querySelector\((?:'([^'"\\]*)'|"([^'"\\]*)")\))\.innerText$`)

// javascript knows the expression by which the harness reads a page, the address, and what
// innerText matches.
func (s *Server) javascript(_ context.Context, args arguments) (string, error) {
	p, err := s.page(args, javaScript)
	if err != nil {
		return "", err
	}
	code := cmp.Or(args.str("code"), args.str("text"))
	if code == "" {
		return "", answers("Error: code is required (JS code to execute)")
	}
	if texts, counts, ok := evidence.ParseExpression(code); ok {
		return s.facts(p, texts, counts)
	}
	if code == "location.href" {
		return p.URL.String(), nil
	}
	m := innerText.FindStringSubmatch(code)
	if m == nil {
		return "", s.browser.Refuse(noScript)
	}
	found, fault, err := s.query(p, "querySelector", cmp.Or(m[1], m[2], "body"))
	switch {
	case err != nil:
		return "", err
	case fault != "":
		return "", errors.New("JavaScript error: SyntaxError: " + fault)
	case len(found) == 0:
		return "", errors.New("JavaScript error: TypeError: Cannot read properties of null (reading 'innerText')")
	case found[0].Namespace != "":
		return "undefined", nil
	}
	return p.InnerText(found[0]), nil
}

// facts is the value of the expression by which the harness reads a page.
func (s *Server) facts(p *browser.Page, texts, counts []string) (string, error) {
	text, count, errs := object{}, object{}, object{}
	for _, selector := range texts {
		found, fault, err := s.query(p, "querySelector", selector)
		switch {
		case err != nil:
			return "", err
		case fault != "":
			errs = append(errs, field{evidence.TextFact(selector), fault})
		case len(found) == 0 || found[0].Namespace != "":
			text = append(text, field{selector, nil})
		default:
			text = append(text, field{selector, p.InnerText(found[0])})
		}
	}
	for _, selector := range counts {
		found, fault, err := s.query(p, "querySelectorAll", selector)
		switch {
		case err != nil:
			return "", err
		case fault != "":
			errs = append(errs, field{evidence.CountFact(selector), fault})
		default:
			count = append(count, field{selector, len(found)})
		}
	}
	return stringify(object{{"url", p.URL.String()}, {"state", "complete"}, {"text", text}, {"count", count}, {"errors", errs}}), nil
}

// query returns the elements that a method of the document finds. fault is the message of Chromium's
// SyntaxError, or empty.
func (s *Server) query(p *browser.Page, method, selector string) (found []*html.Node, fault string, err error) {
	if p.Failed() {
		return nil, "", s.browser.Refuse("an error page")
	}
	found, err = browser.Query(p.Doc, selector)
	if what, ok := err.(browser.Unsupported); ok {
		return nil, "", s.browser.Refuse("the selector " + string(what))
	}
	if err != nil {
		return nil, fmt.Sprintf("Failed to execute '%s' on 'Document': '%s' is not a valid selector.", method, selector), nil
	}
	return found, "", nil
}
