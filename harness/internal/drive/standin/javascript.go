package standin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

const scriptError = "JavaScript execution error"

func (s *Server) javascript(ctx context.Context, args arguments) (string, error) {
	p, err := s.page(args, scriptError)
	code, limit := cmp.Or(args.str("code"), args.str("text")), cmp.Or(arg(args, "timeout", 0.0), 30000)
	switch {
	case err != nil:
		return "", err
	case code == "":
		return "", answers("Error: code is required (JS code to execute)")
	}
	return s.evaluate(ctx, p, code, limit)
}

// statements matches what makes OpenChrome run code in another way than an expression, even
// inside a string.
var statements = regexp.MustCompile(`[;\n]|\b(return|await)\b`)

// evaluate returns the value of an expression over p, as javascript_tool shows it. limit is
// in milliseconds. Its error is an exception in the code, a refusal, a timeout or the
// context's error.
func (s *Server) evaluate(ctx context.Context, p *browser.Page, code string, limit float64) (text string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(limit*float64(time.Millisecond)),
		fmt.Errorf(scriptError+": JS execution timed out after %vms", limit))
	defer cancel()
	defer func() {
		switch end := recover().(type) {
		case nil:
		case browser.Beyond:
			err = s.browser.Refuse(string(end))
		case thrown:
			err = end.error
		default:
			panic(end)
		}
	}()
	v := &view{ctx: ctx, page: p, left: maxWork}
	if texts, counts, ok := evidence.ParseExpression(code); ok {
		return v.facts(texts, counts), nil
	}
	if len(code) > maxCode || statements.MatchString(code) {
		refuse(noScript)
	}
	return v.show(v.compile(code)(nil)), nil
}

// refuse ends the evaluation, because only a real browser can go on.
func refuse(what string) { panic(browser.Beyond(what)) }

// thrown is the panic that ends an evaluation with an error.
type thrown struct{ error }

func throw(exception string) { panic(thrown{errors.New("JavaScript error: " + exception)}) }

// facts is the value of the expression by which the harness reads a page.
func (v *view) facts(texts, counts []string) string {
	text, count, errs := object{}, object{}, object{}
	for _, s := range texts {
		found, fault := v.query(v.page.Doc, "querySelector", s)
		switch {
		case fault != "":
			errs = append(errs, field{evidence.TextFact(s), fault})
		case len(found) == 0 || found[0].Namespace != "":
			text = append(text, field{s, nil})
		default:
			text = append(text, field{s, v.page.InnerText(found[0])})
		}
	}
	for _, s := range counts {
		if found, fault := v.query(v.page.Doc, "querySelectorAll", s); fault != "" {
			errs = append(errs, field{evidence.CountFact(s), fault})
		} else {
			count = append(count, field{s, len(found)})
		}
	}
	return stringify(object{{"url", v.page.URL.String()}, {"state", "complete"}, {"text", text}, {"count", count}, {"errors", errs}})
}

// query returns the elements that querySelector looks through. fault is the message of
// Chromium's SyntaxError, or empty.
func (v *view) query(n *html.Node, method, selector string) (found []*html.Node, fault string) {
	if v.page.Failed() {
		refuse("an error page")
	}
	found, err := browser.Query(n, selector)
	if what, ok := err.(browser.Unsupported); ok {
		refuse("the selector " + string(what))
	}
	if err != nil {
		owner := "Element"
		if n.Type == html.DocumentNode {
			owner = "Document"
		}
		return nil, fmt.Sprintf("Failed to execute '%s' on '%s': '%s' is not a valid selector.", method, owner, selector)
	}
	v.spend(len(found))
	return found, ""
}
