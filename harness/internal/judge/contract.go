package judge

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Contract is a validated contract. It is immutable and safe for concurrent
// use. Only [Parse] and [Read] make one. A nil Contract stands for a missing one.
type Contract struct {
	raw  json.RawMessage
	root *node
}

// node is one assertion of the tree.
type node struct {
	kind *kind
	path string         // JSON path, $ at the root
	src  *jsonfile.Node // where the value was read
	// of is the selector of the measured fact, or the time since which it counts.
	of       string
	leaf     leaf // nil for and, or and not
	children []*node
}

// Raw returns the JSON of the contract. Callers must not change it.
func (c *Contract) Raw() json.RawMessage { return c.raw }

// MarshalJSON returns the JSON of the contract.
func (c *Contract) MarshalJSON() ([]byte, error) { return c.raw, nil }

// Live returns the contract for texts that are read from a page: they come as a map by selector,
// and a dom_text without one is about "body". Raw and the evidence are the same.
func (c *Contract) Live() *Contract { return &Contract{raw: c.raw, root: c.root.live()} }

func (n *node) live() *node {
	cp := *n
	if t, ok := n.leaf.(*domText); ok {
		named := *t
		named.named = true
		cp.leaf = &named
	}
	cp.children = slices.Clone(n.children)
	for i, child := range n.children {
		cp.children[i] = child.live()
	}
	return &cp
}

// Needs lists the facts that a contract reads, apart from the page's URL. Text and
// Count hold CSS selectors, sorted, each once; "body" stands for an omitted one.
type Needs struct {
	Text, Count                               []string
	Network, Screenshot, Performance, Console bool
	Page                                      bool // more than the network
	// SinceLastToolCall: a network assertion asks for requests since the last
	// tool call, which needs [evidence.Facts.LastToolCall].
	SinceLastToolCall bool
	// Downloads: a network assertion asks for a download, whose entry is https://HOST/.got/NAME.
	Downloads bool
}

// Needs returns all facts that judging the contract may read, including facts for children
// that "and" or "or" may not reach.
func (c *Contract) Needs() Needs {
	var n Needs
	c.root.need(&n)
	slices.Sort(n.Text)
	slices.Sort(n.Count)
	n.Text = slices.Compact(n.Text)
	n.Count = slices.Compact(n.Count)
	return n
}

func (n *node) need(needs *Needs) {
	needs.Page = needs.Page || n.leaf != nil && n.kind.fact != evidence.FactNetwork
	switch n.kind.fact {
	case evidence.FactText:
		needs.Text = append(needs.Text, n.of)
	case evidence.FactCount:
		needs.Count = append(needs.Count, n.of)
	case evidence.FactNetwork:
		needs.Network = true
		needs.SinceLastToolCall = needs.SinceLastToolCall || n.of == "last_tool_call"
		needs.Downloads = needs.Downloads || strings.Contains(n.leaf.(*network).urlPattern, ".got/")
	case evidence.FactScreenshot:
		needs.Screenshot = true
	case evidence.FactPerformance:
		needs.Performance = true
	case evidence.FactConsole:
		needs.Console = true
	}
	for _, child := range n.children {
		child.need(needs)
	}
}
