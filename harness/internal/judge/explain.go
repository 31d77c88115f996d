package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Node is one assertion of an explained contract. Its texts are safe to print:
// text from a page is quoted, cut, and free of control characters.
type Node struct {
	Kind    string  `json:"kind"`
	Path    string  `json:"path"`
	Verdict Verdict `json:"verdict"`
	// Expected says what the assertion requires. Observed says what the page had, or why
	// the assertion could not be judged.
	Expected string `json:"expected"`
	Observed string `json:"observed,omitempty"`
	// Words says in one short line how the assertion fails, or why it cannot be
	// judged. It is empty if it holds, and below not.
	Words string `json:"words,omitempty"`
	// Would is set for an assertion that was not reached, if the facts for it were
	// read: its verdict, had it been judged. Observed and Words are set then, too.
	// Measured facts (screenshots, performance, console) have none.
	Would Verdict `json:"would,omitempty"`
	// Pattern is the url_pattern of a network assertion.
	Pattern  string `json:"pattern,omitempty"`
	Children []Node `json:"children,omitempty"`
}

// Explain returns the contract as a tree, with the expected and observed result of each
// assertion. j is the judgement of c on in; it may come from a log.
func Explain(c *Contract, in Input, j Judgement) Node {
	if c == nil {
		return Node{Kind: "contract", Path: "$", Verdict: Inconclusive, Observed: clean(j.InconclusiveReason)}
	}
	x := &explainer{facts: in.Facts, rest: newJudging(in)}
	n := x.node(c.root, j.Evidence, j.Evidence != nil, false)
	if j.Evidence == nil {
		n.Verdict, n.Observed = j.Verdict, clean(j.InconclusiveReason)
		n.Would, n.Words = "", "cannot be judged: "+n.Observed
	}
	return n
}

type explainer struct {
	facts *evidence.Facts
	rest  *judging // of assertions that were not reached
}

// node explains n. e is nil if there is no evidence yet. If negated, n is expected to fail.
func (x *explainer) node(n *node, e *evidence.Node, reached, negated bool) Node {
	out := Node{Kind: n.kind.name, Path: n.path, Verdict: NotReached, Expected: n.want()}
	if l, ok := n.leaf.(*network); ok {
		out.Pattern = l.urlPattern
	}
	if e == nil && x.facts != nil && !n.measured() {
		x.rest.negated = negated
		e = x.rest.node(n)
	}
	if e != nil {
		if out.Observed = n.got(e); !negated {
			out.Words = n.words(e)
		}
		if reached {
			out.Verdict = verdictOf(e)
		} else {
			out.Would = verdictOf(e)
		}
	}
	evaluated := e.Children()
	for i, child := range n.children {
		var e *evidence.Node // nil: not reached
		if i < len(evaluated) {
			e = evaluated[i]
		}
		out.Children = append(out.Children, x.node(child, e, reached && e != nil, negated != (n.kind.name == "not")))
	}
	return out
}

func (n *node) want() string {
	switch n.kind.name {
	case "and":
		return fmt.Sprintf("all %d assertions hold", len(n.children))
	case "or":
		return fmt.Sprintf("at least one of %d assertions holds", len(n.children))
	case "not":
		return "does not hold: " + n.children[0].want()
	}
	return n.leaf.want()
}

func (n *node) got(e *evidence.Node) string {
	if message, unclear := e.Inconclusive(); unclear {
		if reason := e.Details.Text("reason"); reason != "" {
			message = reason
		}
		return clean(message)
	}
	switch n.kind.name {
	case "and":
		if e.Passed {
			return "all assertions hold"
		}
		return fmt.Sprintf("assertion %d does not hold", len(e.Children()))
	case "or":
		if e.Passed {
			return fmt.Sprintf("assertion %d holds", len(e.Children()))
		}
		return "no assertion holds"
	case "not":
		if child := e.Children(); len(child) > 0 {
			return n.children[0].got(child[0])
		}
		return ""
	}
	return n.leaf.got(e.Details)
}

// measured reports whether n is about something that differs from run to run.
func (n *node) measured() bool {
	return slices.Contains([]string{evidence.FactScreenshot, evidence.FactPerformance, evidence.FactConsole, evidence.FactImageQA}, n.kind.fact) ||
		slices.ContainsFunc(n.children, (*node).measured)
}

// words says how n fails, or why it cannot be judged; empty if it holds.
func (n *node) words(e *evidence.Node) string {
	switch {
	case verdictOf(e) == Pass:
		return ""
	case n.leaf != nil && verdictOf(e) == Inconclusive:
		return "cannot be judged: " + n.got(e)
	case n.leaf != nil:
		return n.leaf.missed(e.Details)
	case n.kind.name == "not" && verdictOf(e) == Fail && e.Assumed():
		return "the session filled the log of requests, which may hide this: " + n.children[0].want()
	case n.kind.name == "not" && verdictOf(e) == Fail:
		return "this holds and should not: " + n.children[0].want()
	}
	var all []string
	for i, child := range e.Children() {
		if i < len(n.children) {
			if s := n.children[i].words(child); s != "" {
				all = append(all, s)
			}
		}
	}
	return clean(strings.Join(all, "; "))
}

// FailedContract describes the assertion that kept a contract from passing. Its texts are
// safe to print, like the texts of a [Node], except TextPreview, which is the page's raw
// text.
type FailedContract struct {
	Kind     string  `json:"kind"`
	Path     string  `json:"path"` // JSON path in the contract
	Verdict  Verdict `json:"verdict"`
	Expected string  `json:"expected"`
	Observed string  `json:"observed"`
	// TextPreview is the beginning of the text that a dom_text checked. It is nil for other
	// kinds, and if nothing matched the selector.
	TextPreview *string `json:"text_preview,omitempty"`
}

// FirstFailing names the first assertion, in the order of evaluation, that
// kept the contract from passing. For an inconclusive verdict this is the
// assertion that could not be judged. If a "not" failed, it is the "not" itself. It
// returns nil if the contract passed.
func FirstFailing(c *Contract, in Input, j Judgement) *FailedContract {
	if j.Verdict == Pass {
		return nil
	}
	if c == nil || j.Evidence == nil {
		root := Explain(c, in, j)
		return &FailedContract{Kind: root.Kind, Path: root.Path, Verdict: j.Verdict, Expected: root.Expected, Observed: root.Observed}
	}
	n, e := first(c.root, j.Evidence)
	f := &FailedContract{Kind: n.kind.name, Path: n.path, Verdict: verdictOf(e), Expected: n.want(), Observed: n.got(e)}
	preview, _ := e.Details.Get("text_preview")
	if s, ok := preview.(string); ok && n.kind == &domTextKind {
		f.TextPreview = &s
	}
	return f
}

// Forbidden judges each outermost "not" of the contract by itself, also those that Judge did not
// reach. It returns, in words, what holds although it must not.
func Forbidden(c *Contract, in Input) (wrong []string) {
	if in.Facts == nil {
		return nil
	}
	var walk func(n *node)
	walk = func(n *node) {
		if n.kind.name != "not" {
			for _, child := range n.children {
				walk(child)
			}
		} else if verdictOf(newJudging(in).node(n)) == Fail {
			wrong = append(wrong, n.children[0].want())
		}
	}
	walk(c.root)
	return wrong
}

// first returns the assertion below n, or n itself, that made n fail.
func first(n *node, e *evidence.Node) (*node, *evidence.Node) {
	verdict := verdictOf(e)
	if n.leaf != nil || n.kind.name == "not" && verdict == Fail {
		return n, e
	}
	for i, c := range e.Children() {
		if i < len(n.children) && (verdict == Inconclusive && verdictOf(c) == Inconclusive || verdict == Fail && !c.Passed) {
			return first(n.children[i], c)
		}
	}
	return n, e
}

// shownText is how much of a text an explanation shows, in runes.
const shownText = 300

// quote makes a text safe to print, between quotation marks, and cuts it.
func quote(s string) string { return display.QuoteTo(s, shownText) }

// clean is quote without the quotation marks.
func clean(s string) string { return display.VisibleTo(s, shownText) }
