package judge

import "slices"

// Leaf is an assertion of a contract that has no child assertions.
type Leaf struct {
	Path string // its JSON path, such as $.children.1
	Want string // in words
}

// Leaves returns the contract's leaves, in order.
func (c *Contract) Leaves() []Leaf { return c.root.leaves(nil) }

func (n *node) leaves(found []Leaf) []Leaf {
	if n.leaf != nil {
		return append(found, Leaf{n.path, n.leaf.want()})
	}
	for _, child := range n.children {
		found = child.leaves(found)
	}
	return found
}

// Without returns the contract without the leaf at a path, for judging; its Raw stays the
// same. An "and", "or" or "not" that has no other child goes too. Without returns nil if
// nothing is left.
func (c *Contract) Without(path string) *Contract {
	root := c.root.without(path)
	if root == nil {
		return nil
	}
	return &Contract{raw: c.raw, root: root}
}

func (n *node) without(path string) *node {
	if n.leaf != nil {
		if n.path == path {
			return nil
		}
		return n
	}
	cp := *n
	cp.children = slices.Clone(n.children)
	for i, child := range n.children {
		cp.children[i] = child.without(path)
	}
	cp.children = slices.DeleteFunc(cp.children, func(n *node) bool { return n == nil })
	if len(cp.children) == 0 {
		return nil
	}
	return &cp
}
