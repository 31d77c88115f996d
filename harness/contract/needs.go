package contract

import "slices"

// Needs lists the facts that a contract reads. Text and Count hold CSS
// selectors, sorted, each once; "body" stands for an omitted one.
type Needs struct {
	Text        []string `json:"text,omitempty"`
	Count       []string `json:"count,omitempty"`
	URL         bool     `json:"url,omitempty"`
	Network     bool     `json:"network,omitempty"`
	Dialog      bool     `json:"dialog,omitempty"`
	Screenshot  bool     `json:"screenshot,omitempty"`
	Performance bool     `json:"performance,omitempty"`
	Console     bool     `json:"console,omitempty"`
	ImageQA     bool     `json:"image_qa,omitempty"`
	// SinceLastToolCall: a network assertion asks for requests since the last
	// tool call, which needs [Facts.LastToolCall].
	SinceLastToolCall bool `json:"since_last_tool_call,omitempty"`
}

// Needs returns the facts that judging the contract may read, whichever
// children and and or will reach.
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
	if n.leaf != nil {
		n.leaf.need(needs)
	}
	for _, child := range n.children {
		child.need(needs)
	}
}
