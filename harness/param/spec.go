package param

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/jsonfile"
)

// FileName is the file with the values of a task.
const FileName = "params.json"

// Spec says how the values of a task are drawn. The zero value has none.
type Spec struct {
	Sites  []string // the hosts whose pages show the values
	values []drawn  // in the order of the file
}

// drawn is the rule for one value.
type drawn struct {
	name string
	draw func(*stream, Values) any
}

// Limits of a params.json.
const (
	maxCount    = 1000 // items of a drawn list
	maxToken    = 64   // characters
	maxDecimals = 6
	maxInt      = 1_000_000_000
)

var validName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9]*$`)

// Read reads a params.json. Its faults are added to f.
func Read(f *jsonfile.File) Spec {
	var s Spec
	root := f.Value()
	if root == nil {
		return s
	}
	f.Fields(root,
		jsonfile.Field{Name: "sites", Read: func(n *jsonfile.Node) {
			f.Array(n, "hosts", func(n *jsonfile.Node) { s.Sites = append(s.Sites, f.Text(n)) })
		}},
		jsonfile.Field{Name: "values", Required: true, Read: func(n *jsonfile.Node) {
			if !f.Want(n, jsonfile.Object, "an object of values") {
				return
			}
			r := &reader{File: f, kinds: make(map[string]kind)}
			for _, v := range n.Items {
				r.value(v)
			}
			s.values = r.values
		}},
		jsonfile.Field{Name: "$schema", Read: func(n *jsonfile.Node) { f.Text(n) }},
	)
	return s
}

// Names returns the names of the values, in the order of the file.
func (s Spec) Names() []string {
	var names []string
	for _, v := range s.values {
		names = append(names, v.name)
	}
	return names
}

// kind is what later rules need to know about a value.
type kind struct {
	number   bool
	decimals int
	list     int // how many items a list has; 0: it is no list
}

type reader struct {
	*jsonfile.File
	kinds  map[string]kind
	values []drawn
}

// rules are the keys of which a value has exactly one.
var rules = []string{"oneOf", "some", "int", "token", "sum", "text", "zip", "shuffle"}

func (r *reader) value(n *jsonfile.Node) {
	if !validName.MatchString(n.Key) {
		r.FaultAt(n, "the name %s has other characters than letters and digits, or begins with a digit", display.Quote(n.Key))
	}
	if !r.Want(n, jsonfile.Object, "an object with one of "+strings.Join(rules, ", ")) {
		return
	}
	var has []string
	for _, rule := range rules {
		if n.Get(rule) != nil {
			has = append(has, rule)
		}
	}
	if len(has) != 1 {
		r.FaultAt(n, "has %d of the keys %s, want one", len(has), strings.Join(rules, ", "))
		return
	}
	var draw func(*stream, Values) any
	var k kind
	switch has[0] {
	case "oneOf":
		draw = r.oneOf(n)
	case "some":
		draw, k.list = r.some(n)
	case "int":
		draw, k = r.integer(n)
	case "token":
		draw = r.token(n)
	case "sum":
		draw, k = r.sum(n)
	case "text":
		draw = r.text(n)
	case "zip":
		draw, k.list = r.zip(n)
	case "shuffle":
		draw, k.list = r.shuffle(n)
	}
	r.kinds[n.Key] = k
	r.values = append(r.values, drawn{n.Key, draw})
}

// choices reads a list of strings, or of objects of strings.
func (r *reader) choices(n *jsonfile.Node) []any {
	var out []any
	r.Array(n, "strings or objects of strings", func(n *jsonfile.Node) {
		if n.Kind != jsonfile.Object {
			out = append(out, r.Text(n))
			return
		}
		row := make(map[string]string)
		for _, m := range n.Items {
			row[m.Key] = r.Text(m)
		}
		out = append(out, row)
	})
	if n.Is(jsonfile.Array) && len(out) < 2 && !n.Cut {
		r.FaultAt(n, "has %s, want at least two", display.Count(len(out), "choice"))
	}
	if len(out) > maxCount {
		r.FaultAt(n, "has more than %d choices", maxCount)
	}
	return out
}

// oneOf draws one of a list.
func (r *reader) oneOf(n *jsonfile.Node) func(*stream, Values) any {
	var list []any
	r.Fields(n, jsonfile.Field{Name: "oneOf", Required: true, Read: func(n *jsonfile.Node) { list = r.choices(n) }})
	return func(s *stream, _ Values) any { return list[s.below(len(list))] }
}

// some draws different ones of a list, in random order. All of them make a shuffle.
func (r *reader) some(n *jsonfile.Node) (draw func(*stream, Values) any, size int) {
	var list []any
	var count int
	r.Fields(n,
		jsonfile.Field{Name: "some", Required: true, Read: func(n *jsonfile.Node) { count = r.Int(n, 1, maxCount) }},
		jsonfile.Field{Name: "of", Required: true, Read: func(n *jsonfile.Node) { list = r.choices(n) }},
	)
	if n.Get("of").Is(jsonfile.Array) && count > len(list) {
		r.FaultAt(n.Get("some"), "is %d, but the list has only %s", count, display.Count(len(list), "choice"))
	}
	return func(s *stream, _ Values) any {
		var out []any
		for _, i := range s.pick(count, len(list)) {
			out = append(out, list[i])
		}
		return typed(out)
	}, count
}

// zip makes rows of lists: row i has item i of each list.
func (r *reader) zip(n *jsonfile.Node) (draw func(*stream, Values) any, size int) {
	columns := make(map[string]string) // names of lists by column
	r.Fields(n, jsonfile.Field{Name: "zip", Required: true, Read: func(n *jsonfile.Node) {
		if !r.Want(n, jsonfile.Object, "an object with the list of each column") {
			return
		}
		for _, m := range n.Items {
			items := r.listOf(m)
			if size != 0 && items != 0 && items != size {
				r.FaultAt(m, "has %s, but the list before it has %d", display.Count(items, "item"), size)
			}
			columns[m.Key], size = m.Text, max(items, size)
		}
	}})
	return func(_ *stream, v Values) any {
		rows := make([]map[string]string, size)
		for i := range rows {
			rows[i] = make(map[string]string)
			for column, list := range columns {
				rows[i][column], _ = v.Text(fmt.Sprintf("%s.%d", list, i+1))
			}
		}
		return rows
	}, size
}

// shuffle is another list in random order.
func (r *reader) shuffle(n *jsonfile.Node) (draw func(*stream, Values) any, size int) {
	var list string
	r.Fields(n, jsonfile.Field{Name: "shuffle", Required: true, Read: func(n *jsonfile.Node) { list, size = n.Text, r.listOf(n) }})
	return func(s *stream, v Values) any {
		switch items := v[list].(type) {
		case []string:
			return inOrder(items, s.pick(size, size))
		case []map[string]string:
			return inOrder(items, s.pick(size, size))
		}
		return nil
	}, size
}

func inOrder[T any](items []T, order []int) []T {
	out := make([]T, len(order))
	for i, from := range order {
		out[i] = items[from]
	}
	return out
}

// listOf reads the name of a list before this value, and returns how many items it has.
func (r *reader) listOf(n *jsonfile.Node) int {
	name := r.Text(n)
	k, known := r.kinds[name]
	switch {
	case name == "":
	case !known:
		r.FaultAt(n, "no value %s before this one%s", display.Quote(name), display.DidYouMean(name, r.Names()))
	case k.list == 0:
		r.FaultAt(n, "the value %s is not a list", display.Quote(name))
	}
	return k.list
}

// integer draws a whole number from a to b by a step, or several different ones.
func (r *reader) integer(n *jsonfile.Node) (func(*stream, Values) any, kind) {
	var bounds []int
	step, count, decimals := 1, 0, 0
	r.Fields(n,
		jsonfile.Field{Name: "int", Required: true, Read: func(n *jsonfile.Node) {
			r.Array(n, "two whole numbers", func(n *jsonfile.Node) { bounds = append(bounds, r.Int(n, -maxInt, maxInt)) })
			if n.Is(jsonfile.Array) && len(bounds) != 2 {
				r.FaultAt(n, "has %s, want two: the lowest and the highest", display.Count(len(bounds), "number"))
			}
		}},
		jsonfile.Field{Name: "step", Read: func(n *jsonfile.Node) { step = max(1, r.Int(n, 1, maxInt)) }},
		jsonfile.Field{Name: "count", Read: func(n *jsonfile.Node) { count = r.Int(n, 1, maxCount) }},
		jsonfile.Field{Name: "decimals", Read: func(n *jsonfile.Node) { decimals = r.Int(n, 1, maxDecimals) }},
	)
	if len(bounds) != 2 {
		return nil, kind{}
	}
	low, high := bounds[0], bounds[1]
	all := (high-low)/step + 1
	switch {
	case high <= low || (high-low)%step != 0:
		r.FaultAt(n.Get("int"), "has %d and %d, want a higher second number that the step %d reaches", low, high, step)
		return nil, kind{}
	case count > all:
		r.FaultAt(n.Get("count"), "is %d, but there are only %s", count, display.Count(all, "number"))
	}
	at := func(i int) string { return number(low+i*step, decimals) }
	if count == 0 {
		return func(s *stream, _ Values) any { return at(s.below(all)) }, kind{number: true, decimals: decimals}
	}
	return func(s *stream, _ Values) any {
		var out []string
		for _, i := range s.pick(count, all) {
			out = append(out, at(i))
		}
		return out
	}, kind{number: true, decimals: decimals, list: count}
}

// letters are the characters of tokens, without those that look alike.
const letters = "abcdefghjkmnpqrstuvwxyz23456789"

// token draws a word of letters and digits.
func (r *reader) token(n *jsonfile.Node) func(*stream, Values) any {
	length := 0
	r.Fields(n, jsonfile.Field{Name: "token", Required: true, Read: func(n *jsonfile.Node) { length = r.Int(n, 4, maxToken) }})
	return func(s *stream, _ Values) any {
		out := make([]byte, length)
		for i := range out {
			out[i] = letters[s.below(len(letters))]
		}
		return string(out)
	}
}

// sum adds numbers, and subtracts those with a minus.
func (r *reader) sum(n *jsonfile.Node) (func(*stream, Values) any, kind) {
	type part struct {
		path string
		sign int
	}
	var parts []part
	decimals := math.MinInt
	r.Fields(n, jsonfile.Field{Name: "sum", Required: true, Read: func(n *jsonfile.Node) {
		r.Array(n, "names of numbers", func(n *jsonfile.Node) {
			path, minus := strings.CutPrefix(r.Text(n), "-")
			name, _, _ := strings.Cut(path, ".")
			k, known := r.kinds[name]
			switch {
			case !known:
				r.FaultAt(n, "no value %s before this one%s", display.Quote(name), display.DidYouMean(name, r.Names()))
				return
			case !k.number:
				r.FaultAt(n, "the value %s is not a number", display.Quote(name))
				return
			case decimals != math.MinInt && decimals != k.decimals:
				r.FaultAt(n, "has %d decimals, but the number before it has %d", k.decimals, decimals)
			}
			decimals = k.decimals
			p := part{path, 1}
			if minus {
				p.sign = -1
			}
			parts = append(parts, p)
		})
	}})
	decimals = max(0, decimals)
	return func(_ *stream, v Values) any {
		total := 0
		for _, p := range parts {
			text, _ := v.Text(p.path)
			total += p.sign * units(text)
		}
		return number(total, decimals)
	}, kind{number: true, decimals: decimals}
}

// text is made of other values.
func (r *reader) text(n *jsonfile.Node) func(*stream, Values) any {
	var node *jsonfile.Node
	r.Fields(n, jsonfile.Field{Name: "text", Required: true, Read: func(n *jsonfile.Node) { node = n; r.Text(n) }})
	if node == nil {
		return nil
	}
	for _, m := range placeholder.FindAllStringSubmatch(node.Text, -1) {
		name, _, _ := strings.Cut(m[1], ".")
		if !slices.Contains(r.Names(), name) {
			r.FaultAt(node, "no value %s before this one%s", display.Quote(name), display.DidYouMean(name, r.Names()))
		}
	}
	return func(_ *stream, v Values) any { return v.replace(node.Text, nil, func(string) {}) }
}

// Names returns the names of the values read so far.
func (r *reader) Names() []string { return Spec{values: r.values}.Names() }
