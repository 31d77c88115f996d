package word

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// maxNamed is how many characters of a target a part repeats.
const maxNamed = 100

// ask is one thing that a call asks for. A query, a ref or a point names its target.
type ask struct {
	does   server.Deed
	query  string
	ref    string
	point  []float64 // x and y; nil: none
	value  string
	last   bool            // it is the button that is clicked after the fields
	target *named          // what the ref named; nil: it is not known
	node   *record.Control // the element of the ref; nil: it is not known
	name   string          // of the element or, if it has none, of what the ref named
	// refused says that the page got it, and the browser refused to send the form.
	refused bool
}

// words names the target of an ask.
func (a *ask) words() string {
	name := cmp.Or(a.query, a.name, a.ref)
	switch {
	case name != "":
		return display.Cut(name, maxNamed)
	case a.point != nil:
		return fmt.Sprintf("%g,%g", a.point[0], a.point[1])
	case a.does == server.Types:
		return "the focused field"
	case a.does == server.Presses:
		return "a key"
	}
	return string(a.does)
}

// maxParts is how many parts of a call are judged.
const maxParts = 100

// asks returns what a call asks for. node is the element that its ref names, if it is known.
func asks(tool server.Tool, c adapter.Call, known *refs, node *record.Control) (list []ask) {
	var args map[string]json.RawMessage
	if !tool.Asks() || json.Unmarshal(c.Args, &args) != nil {
		return nil
	}
	one := func(from map[string]json.RawMessage) ask {
		a := ask{does: tool.Does, query: text(from[tool.Query]), value: text(from[tool.Value])}
		if a.query != "" {
			return a
		}
		a.ref = text(from[tool.Ref])
		if n, ok := known.last[a.ref]; ok && a.ref != "" {
			a.target, a.name = &n, n.name
		}
		json.Unmarshal(from[tool.Point], &a.point)
		if len(a.point) != 2 {
			a.point = nil
		}
		return a
	}
	if tool.Fields == "" {
		a := one(args)
		if a.ref != "" && node != nil {
			a.node, a.name = node, cmp.Or(node.Name, a.name)
		}
		return []ask{a}
	}
	var object map[string]json.RawMessage
	var array []map[string]json.RawMessage
	if json.Unmarshal(args[tool.Fields], &object) == nil {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			list = append(list, ask{does: tool.Does, query: name, value: text(object[name])})
		}
	} else if json.Unmarshal(args[tool.Fields], &array) == nil {
		for _, from := range array {
			list = append(list, one(from))
		}
	}
	if button := text(args[tool.Submit]); button != "" {
		list = append(list, ask{does: server.Clicks, query: button, last: true})
	}
	return list[:min(len(list), maxParts)]
}

// text returns a JSON value as text: a list with commas.
func text(raw json.RawMessage) string {
	var s string
	var list []json.RawMessage
	switch {
	case json.Unmarshal(raw, &s) == nil: // null too
		return s
	case json.Unmarshal(raw, &list) == nil:
		var all []string
		for _, item := range list {
			all = append(all, text(item))
		}
		return strings.Join(all, ", ")
	}
	return string(raw)
}

// refs remembers what the refs in the answers of an episode named.
type refs struct{ last map[string]named }

// named is an element as an answer named it: by its name or, where the source of a page is shown, by its
// attributes.
type named struct{ name, id, field, value string }

// maxRefs bounds the memory of refs.
const maxRefs = 50_000

// learn takes the refs in an answer.
func (r *refs) learn(s *server.Server, answer string) {
	if r.last == nil || len(r.last) > maxRefs {
		r.last = map[string]named{}
	}
	for _, pattern := range []*regexp.Regexp{s.Answers.Refs, s.Answers.Nodes} {
		if pattern == nil {
			continue
		}
		for _, m := range pattern.FindAllStringSubmatchIndex(answer, maxRefs) {
			group := func(name string) string { return string(pattern.ExpandString(nil, "${"+name+"}", answer, m)) }
			n := named{name: group("name")}
			if unquoted, err := strconv.Unquote(`"` + n.name + `"`); err == nil {
				n.name = unquoted
			}
			n.name = strings.TrimSpace(n.name)
			for _, a := range attributes.FindAllStringSubmatch(group("attributes"), -1) {
				switch a[1] {
				case "id":
					n.id = a[2]
				case "name":
					n.field = a[2]
				case "value":
					n.value = a[2]
				case "aria-label":
					n.name = a[2]
				}
			}
			r.last[group("ref")] = n
		}
	}
}

var attributes = regexp.MustCompile(`([\w-]+)="([^"]*)"`)
