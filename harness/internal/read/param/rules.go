package param

import (
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Limits of a params.json.
const (
	maxCount    = 1000 // items of a list
	minToken    = 4    // characters
	maxToken    = 64
	maxText     = 10_000 // bytes of a text
	maxDecimals = 6
	maxInt      = 1_000_000_000
	maxColumns  = 100
	maxDrawn    = 4 << 20 // bytes of all values; each text takes textSize more
	textSize    = 32
)

// rules are the names of the rules. Each value has exactly one as a key.
var rules = []string{"oneOf", "some", "int", "token", "sum", "text", "zip", "shuffle"}

var readRule = map[string]func(*reader, *jsonfile.Node) func(*stream, Values) any{
	"oneOf": (*reader).oneOf, "some": (*reader).some, "int": (*reader).int, "token": (*reader).token,
	"sum": (*reader).sum, "text": (*reader).text, "zip": (*reader).zip, "shuffle": (*reader).shuffle,
}

// rule reads the rule of a value. If there was a fault, do not use the result.
func (r *reader) rule(n *jsonfile.Node) func(*stream, Values) any {
	if !r.Want(n, jsonfile.Object, "an object with one of "+strings.Join(rules, ", ")) {
		return nil
	}
	var has []string
	for _, name := range rules {
		if n.Get(name) != nil {
			has = append(has, name)
		}
	}
	if len(has) != 1 {
		r.FaultAt(n, "has %d of the keys %s, want one", len(has), strings.Join(rules, ", "))
		return nil
	}
	return readRule[has[0]](r, n)
}

// choices reads a list of different texts, or of different rows. It adds the columns that a
// row leaves out, as empty texts, so that all rows have the same columns.
func (r *reader) choices(n *jsonfile.Node) []any {
	var list []any
	columns := make(Row)
	seen := make(map[string]bool) // in lower case, because many pages and servers ignore case
	r.Array(n, "texts, or of objects of texts", func(n *jsonfile.Node) {
		var choice any
		if n.Kind == jsonfile.Object {
			row := make(Row)
			for _, m := range n.Items {
				r.name(m)
				row[m.Key], columns[m.Key] = r.literal(m), ""
			}
			choice = row
		} else {
			choice = r.literal(n)
		}
		if len(list) > 0 && isRow(choice) != isRow(list[0]) {
			r.FaultAt(n, "is %s; want only texts, or only objects of texts", n.Kind)
		}
		if key := strings.ToLower(fmt.Sprint(choice)); seen[key] {
			r.FaultAt(n, "equals an earlier choice, apart from case")
		} else {
			seen[key] = true
		}
		list = append(list, choice)
	})
	if n.Is(jsonfile.Array) && (len(list) < 2 || len(list) > maxCount) && !n.Cut {
		r.FaultAt(n, "has %s, want 2 to %d", display.Count(len(list), "choice"), maxCount)
	}
	if r.columns(n, len(columns)); len(columns) > maxColumns {
		return nil
	}
	for _, choice := range list {
		if row, ok := choice.(Row); ok {
			for column := range columns {
				row[column] += ""
			}
		}
	}
	return list
}

// columns bounds the columns of rows.
func (r *reader) columns(n *jsonfile.Node, count int) {
	if count > maxColumns {
		r.FaultAt(n, "has %d columns; the limit is %d", count, maxColumns)
	}
}

func isRow(choice any) bool { _, ok := choice.(Row); return ok }

// literal reads a text without placeholders, because drawn texts are not filled in again. It may be empty.
func (r *reader) literal(n *jsonfile.Node) string {
	text := n.Text
	if n.Kind != jsonfile.String || text != "" {
		r.Text(n)
	}
	switch {
	case strings.Contains(text, "{{"):
		r.FaultAt(n, "has {{, which a drawn text must not have; use the rule text to join values")
	case len(text) > maxText:
		r.FaultAt(n, "is longer than %d bytes; shorten it", maxText)
	}
	return text
}

// oneOf draws one of a list.
func (r *reader) oneOf(n *jsonfile.Node) func(*stream, Values) any {
	var list []any
	r.Fields(n, jsonfile.Field{Name: "oneOf", Read: func(n *jsonfile.Node) { list = r.choices(n) }})
	return func(s *stream, _ Values) any { return list[s.below(len(list))] }
}

// some draws several different choices, in random order.
func (r *reader) some(n *jsonfile.Node) func(*stream, Values) any {
	var list []any
	var count int
	r.Fields(n,
		jsonfile.Field{Name: "some", Read: func(n *jsonfile.Node) { count = r.Int(n, 1, maxCount) }},
		jsonfile.Field{Name: "of", Required: true, Read: func(n *jsonfile.Node) { list = r.choices(n) }},
	)
	if n.Get("of").Is(jsonfile.Array) && count > len(list) {
		r.FaultAt(n.Get("some"), "is %d, but the list has only %s", count, display.Count(len(list), "choice"))
	}
	return func(s *stream, _ Values) any {
		order := s.pick(count, len(list))
		if isRow(list[0]) {
			return inOrder[Row](list, order)
		}
		return inOrder[string](list, order)
	}
}

// inOrder returns the items at these places of a list.
func inOrder[T any](list []any, order []int) []T {
	out := make([]T, len(order))
	for i, at := range order {
		out[i] = list[at].(T)
	}
	return out
}

// shuffle puts an earlier list in random order.
func (r *reader) shuffle(n *jsonfile.Node) func(*stream, Values) any {
	var name string
	r.Fields(n, jsonfile.Field{Name: "shuffle", Read: func(n *jsonfile.Node) { name = n.Text; r.list(n) }})
	if decimals, ok := r.decimals[name]; ok {
		r.decimals[n.Key] = decimals
	}
	return func(s *stream, v Values) any {
		if rows, ok := v[name].([]Row); ok {
			return shuffled(s, rows)
		}
		return shuffled(s, v[name].([]string))
	}
}

func shuffled[T any](s *stream, list []T) []T {
	out := make([]T, len(list))
	for i, at := range s.pick(len(list), len(list)) {
		out[i] = list[at]
	}
	return out
}

// zip makes rows of lists: row i has item i of each list.
func (r *reader) zip(n *jsonfile.Node) func(*stream, Values) any {
	lists := make(map[string]string) // names by column
	size := 0
	r.Fields(n, jsonfile.Field{Name: "zip", Read: func(n *jsonfile.Node) {
		if !r.Want(n, jsonfile.Object, "an object with the list of each column") {
			return
		}
		if len(n.Items) == 0 {
			r.FaultAt(n, "has no columns")
		}
		for _, m := range n.Items {
			r.name(m)
			lists[m.Key] = m.Text
			switch list := r.list(m).(type) {
			case []Row:
				r.FaultAt(m, "the list %s has rows; a column has texts", display.Quote(m.Text))
			case []string:
				if size != 0 && len(list) != size {
					r.FaultAt(m, "the list %s has %s, but the one before it has %d", display.Quote(m.Text), display.Count(len(list), "item"), size)
				}
				size = len(list)
			}
		}
	}})
	r.columns(n, len(lists))
	return func(_ *stream, v Values) any {
		rows := make([]Row, size)
		for i := range rows {
			rows[i] = make(Row, len(lists))
			for column, name := range lists {
				rows[i][column] = v[name].([]string)[i]
			}
		}
		return rows
	}
}

// int draws a whole number from a lowest to a highest by a step, or several different ones.
func (r *reader) int(n *jsonfile.Node) func(*stream, Values) any {
	var bounds []int
	step, count, decimals := 1, 0, 0
	r.Fields(n,
		jsonfile.Field{Name: "int", Read: func(n *jsonfile.Node) {
			r.Array(n, "two whole numbers", func(n *jsonfile.Node) { bounds = append(bounds, r.Int(n, -maxInt, maxInt)) })
		}},
		jsonfile.Field{Name: "step", Read: func(n *jsonfile.Node) { step = max(1, r.Int(n, 1, maxInt)) }},
		jsonfile.Field{Name: "count", Read: func(n *jsonfile.Node) { count = r.Int(n, 1, maxCount) }},
		jsonfile.Field{Name: "decimals", Read: func(n *jsonfile.Node) { decimals = r.Int(n, 1, maxDecimals) }},
	)
	if len(bounds) != 2 {
		r.FaultAt(n.Get("int"), "has %s, want two: the lowest and the highest", display.Count(len(bounds), "number"))
		return nil
	}
	low, high := bounds[0], bounds[1]
	if high <= low || (high-low)%step != 0 {
		r.FaultAt(n.Get("int"), "has %d and %d, want a higher second number that the step %d reaches", low, high, step)
		return nil
	}
	all := (high-low)/step + 1
	if count > all {
		r.FaultAt(n.Get("count"), "is %d, but there are only %s", count, display.Count(all, "number"))
	}
	r.decimals[n.Key] = decimals
	at := func(i int) string { return number(low+i*step, decimals) }
	if count == 0 {
		return func(s *stream, _ Values) any { return at(s.below(all)) }
	}
	return func(s *stream, _ Values) any {
		out := make([]string, count)
		for i, place := range s.pick(count, all) {
			out[i] = at(place)
		}
		return out
	}
}

// letters are the characters of tokens, without the ones that look alike.
const letters = "abcdefghjkmnpqrstuvwxyz23456789"

// token draws a word of letters and digits.
func (r *reader) token(n *jsonfile.Node) func(*stream, Values) any {
	length := 0
	r.Fields(n, jsonfile.Field{Name: "token", Read: func(n *jsonfile.Node) { length = r.Int(n, minToken, maxToken) }})
	return func(s *stream, _ Values) any {
		out := make([]byte, length)
		for i := range out {
			out[i] = letters[s.below(len(letters))]
		}
		return string(out)
	}
}

// sum adds numbers with the same number of decimals. It subtracts names with a minus.
func (r *reader) sum(n *jsonfile.Node) func(*stream, Values) any {
	var parts []string
	decimals := -1
	r.Fields(n, jsonfile.Field{Name: "sum", Read: func(n *jsonfile.Node) {
		r.Array(n, "names of numbers", func(n *jsonfile.Node) {
			parts = append(parts, r.Text(n))
			path := strings.TrimPrefix(n.Text, "-")
			r.path(n, path)
			name, _, _ := strings.Cut(path, ".")
			has, isNumber := r.decimals[name]
			switch {
			case !isNumber && r.sample[name] != nil:
				r.FaultAt(n, "the value %s is not a number", display.Quote(name))
			case isNumber && decimals >= 0 && has != decimals:
				r.FaultAt(n, "has %d decimals, but the number before it has %d", has, decimals)
			case isNumber:
				decimals = has
			}
		})
		if n.Is(jsonfile.Array) && len(n.Items) == 0 {
			r.FaultAt(n, "has no numbers")
		}
	}})
	r.decimals[n.Key] = decimals
	return func(_ *stream, v Values) any {
		total := 0
		for _, part := range parts {
			path, minus := strings.CutPrefix(part, "-")
			text, _ := v.Text(path)
			if minus {
				total -= units(text)
			} else {
				total += units(text)
			}
		}
		return number(total, decimals)
	}
}

// text joins other values and literal text.
func (r *reader) text(n *jsonfile.Node) func(*stream, Values) any {
	template := ""
	r.Fields(n, jsonfile.Field{Name: "text", Read: func(n *jsonfile.Node) {
		template = r.Text(n)
		literal := placeholder.ReplaceAllString(template, "")
		size := len(literal)
		for _, path := range Paths(template) {
			r.path(n, path)
			text, _ := r.sample.Text(path)
			size += len(text)
		}
		switch {
		case size > maxText:
			r.FaultAt(n, "can make a text of more than %d bytes; shorten it", maxText)
		case strings.Contains(literal, "{{"):
			r.FaultAt(n, "has {{ outside of {{param.NAME}}; remove it")
		}
	}})
	return func(_ *stream, v Values) any { return v.replace(template, nil) }
}
