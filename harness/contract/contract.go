package contract

import (
	"encoding/json"
	"slices"
)

// Contract is a validated contract. It is immutable and safe for concurrent
// use. It comes from [Parse] only; a nil Contract stands for a missing one.
type Contract struct {
	raw  json.RawMessage
	root *node
}

// node is one assertion of the tree.
type node struct {
	kind     string
	path     string // JSON path, $ at the root
	leaf     leaf   // nil for and, or and not
	children []*node
}

// leaf is an assertion that holds no others.
type leaf interface {
	// judge weighs the facts. Details with a string "error" say that the
	// assertion cannot be judged.
	judge(*judging) (passed bool, d Details)
	need(*Needs)
	// expected and actual are what failed_assertions carries.
	expected() Details
	actual(Details) any
	// want and got say the same to people.
	want() string
	got(Details) string
}

// kinds lists the kinds in OpenChrome's order, each with its fields.
var kinds = []struct {
	name   string
	fields []string
	parse  func(p *parser, o Details, path string) leaf // nil for and, or and not
}{
	{"url", []string{"pattern"}, parseURL},
	{"dom_text", []string{"selector", "contains"}, parseDOMText},
	{"dom_count", []string{"selector", "op", "value"}, parseDOMCount},
	{"network", []string{"url_pattern", "status_in", "since"}, parseNetwork},
	{"screenshot_class", []string{"class_id", "distance_max"}, parseScreenshot},
	{"no_dialog", nil, parseNoDialog},
	{"image_qa", []string{"question", "expected_pattern"}, parseImageQA},
	{"performance", []string{"schema_version", "metric", "unit", "op", "value", "max_age_ms"}, parsePerformance},
	{"console", []string{"schema_version", "type", "message_pattern", "uncaught", "op", "value", "max_age_ms"}, parseConsole},
	{"and", []string{"children"}, nil},
	{"or", []string{"children"}, nil},
	{"not", []string{"child"}, nil},
}

// Kinds returns all kinds of assertions, in OpenChrome's order.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Fields returns the fields that an assertion of this kind may have, "kind"
// first; false for an unknown kind. OpenChrome ignores other fields; who
// wants to refuse them finds here what to allow.
func Fields(kind string) ([]string, bool) {
	for _, k := range kinds {
		if k.name == kind {
			return slices.Concat([]string{"kind"}, k.fields), true
		}
	}
	return nil, false
}

// Raw returns the JSON that the contract was parsed from. It is not to be
// changed.
func (c *Contract) Raw() json.RawMessage { return c.raw }

// MarshalJSON returns the JSON that the contract was parsed from.
func (c *Contract) MarshalJSON() ([]byte, error) {
	if c == nil {
		return []byte("null"), nil
	}
	return c.raw, nil
}

// Live returns the contract with "body" written out as the selector of each
// dom_text that has none, in Raw as well. Read off a page, texts come as a
// map, and a map serves named selectors only. The evidence is the same.
func (c *Contract) Live() *Contract {
	root, changed := c.root.live()
	if !changed {
		return c
	}
	v, err := decodeJSON(c.raw)
	if err != nil {
		panic("contract: a parsed contract is not JSON: " + err.Error())
	}
	return &Contract{raw: appendJSON(nil, nameBody(v)), root: root}
}

func (n *node) live() (copied *node, changed bool) {
	cp := *n
	if t, ok := n.leaf.(*domText); ok && t.selector == nil {
		body := "body"
		cp.leaf = &domText{selector: &body, contains: t.contains}
		return &cp, true
	}
	cp.children = slices.Clone(n.children)
	for i, child := range n.children {
		live, ok := child.live()
		cp.children[i] = live
		changed = changed || ok
	}
	return &cp, changed
}

// nameBody does to the JSON of a valid contract what live does to its nodes.
func nameBody(v any) any {
	o, ok := v.(Details)
	if !ok {
		return v // within a field that the validator ignores
	}
	o = slices.Clone(o)
	switch kind := o.text("kind"); kind {
	case "dom_text":
		if _, ok := o.Get("selector"); !ok {
			o = append(o, Detail{"selector", "body"})
		}
	case "not":
		for i, m := range o {
			if m.Key == "child" {
				o[i].Value = nameBody(m.Value)
			}
		}
	case "and", "or":
		for i, m := range o {
			list, ok := m.Value.([]any)
			if !ok || m.Key != "children" {
				continue
			}
			list = slices.Clone(list)
			for k, child := range list {
				list[k] = nameBody(child)
			}
			o[i].Value = list
		}
	}
	return o
}
