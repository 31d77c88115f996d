package standin

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

// The values of an expression are these, and bool, float64, string and *html.Node.
type (
	null      struct{}
	undefined struct{}
	global    string // the name of an object
	function  func(args ...any) any
	array     struct {
		items []any
		nodes bool // a NodeList, which has hardly any methods
	}
)

// kind names the type of a value in a refusal.
func kind(value any) string {
	switch value := value.(type) {
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case function:
		return "function"
	case global:
		return string(value)
	case *array:
		if value.nodes {
			return "NodeList"
		}
		return "array"
	case *html.Node:
		if value.Type == html.DocumentNode {
			return "document"
		}
		return "element"
	}
	return "nothing"
}

func (v *view) global(name string) any {
	value, ok := map[string]any{"null": null{}, "true": true, "false": false, "document": v.page.Doc, "location": global(name), "Math": global(name)}[name]
	if !ok {
		refuse("window." + name)
	}
	return value
}

func (v *view) property(of any, key string) (value any) {
	switch of := of.(type) {
	case null, undefined:
		throw("TypeError: Cannot read properties of " + v.text(of) + " (reading '" + key + "')")
	case *html.Node:
		if of.Type == html.DocumentNode {
			value = v.document(key)
		} else {
			value = v.element(of, key)
		}
	case global:
		if of == "location" {
			value = v.location(key)
		}
	case *array:
		if key == "length" {
			value = float64(len(of.items))
		}
	}
	if value == nil {
		refuse(kind(of) + "." + key)
	}
	if s, ok := value.(string); ok {
		v.spend(len(s))
	}
	return value
}

func (v *view) item(of, index any) any {
	items, i := v.elements(of), number(index)
	if i >= 0 && i < float64(len(items)) && i == math.Trunc(i) {
		return items[int(i)]
	}
	return undefined{}
}

// elements returns what an array or a NodeList holds.
func (v *view) elements(of any) []any {
	a, ok := of.(*array)
	if !ok {
		refuse("the items of " + kind(of))
	}
	v.spend(len(a.items))
	return a.items
}

// method calls a method.
func (v *view) method(of any, name string, args []any) (value any) {
	v.spend(1)
	switch of := of.(type) {
	case null, undefined:
		return v.property(of, name)
	case *html.Node:
		if len(args) == 1 {
			value = v.ofNode(of, name, args[0])
		}
	case *array:
		if !of.nodes {
			value = v.ofArray(of, name, args)
		}
	case string:
		args = append(args, nil, nil)
		first, one := args[0].(string)
		second, two := args[1].(string)
		v.spend(len(of) + len(second)) // as long as the result of replace can be
		switch {
		case name == "includes" && one && len(args) == 3:
			value = strings.Contains(of, first)
		case name == "replace" && one && two && len(args) == 4 && !strings.Contains(second, "$"):
			value = strings.Replace(of, first, second, 1)
		}
	case float64:
		if name == "toFixed" && len(args) == 1 {
			value = fixed(of, number(args[0]))
		}
	case global:
		if of == "Math" && name == "round" && len(args) == 1 {
			whole := math.Floor(number(args[0]))
			if number(args[0])-whole >= 0.5 {
				whole++
			}
			value = whole
		}
	}
	if value == nil {
		refuse(kind(of) + "." + name)
	}
	return value
}

func (v *view) ofNode(n *html.Node, name string, arg any) any {
	s, ok := arg.(string)
	switch {
	case !ok:
	case name == "querySelector" || name == "querySelectorAll":
		found, fault := v.query(n, name, s)
		if fault != "" {
			throw("SyntaxError: " + fault)
		}
		if name == "querySelector" {
			return node(append(found, nil)[0])
		}
		list := &array{nodes: true}
		for _, n := range found {
			list.items = append(list.items, n)
		}
		return list
	case n.Type == html.DocumentNode && name == "getElementById" && !v.page.Failed():
		return node(v.page.ByID(s))
	case n.Type != html.DocumentNode && name == "getAttribute":
		if value, ok := browser.Lookup(n, strings.ToLower(s)); ok {
			return value
		}
		return null{}
	}
	return nil
}

func (v *view) ofArray(a *array, name string, args []any) any {
	args = append(args, undefined{}, undefined{})
	f, calls := args[0].(function)
	switch {
	case calls && (name == "map" || name == "filter"):
		out := &array{}
		for i, item := range a.items {
			if value := f(item, float64(i), a); name == "map" {
				out.items = append(out.items, value)
			} else if truthy(value) {
				out.items = append(out.items, item)
			}
		}
		return out
	case calls && name == "reduce" && args[1] != any(undefined{}):
		sum := args[1]
		for i, item := range a.items {
			sum = f(sum, item, float64(i))
		}
		return sum
	case calls && name == "sort":
		slices.SortStableFunc(a.items, func(x, y any) int { return cmp.Compare(number(f(x, y, undefined{})), 0) })
		return a
	case name == "slice" && len(args) == 4:
		end := min(number(args[1]), float64(len(a.items)))
		if from := number(args[0]); 0 <= from && from <= end && from == math.Trunc(from) && end == math.Trunc(end) {
			v.spend(int(end - from))
			return &array{items: slices.Clone(a.items[int(from):int(end)])}
		}
	case name == "join":
		sep := ","
		if args[0] != any(undefined{}) {
			sep = v.text(args[0])
		}
		texts := make([]string, len(a.items))
		for i, item := range a.items {
			if kind(item) != "nothing" {
				texts[i] = v.text(item)
			}
			v.spend(len(texts[i]) + len(sep))
		}
		return strings.Join(texts, sep)
	}
	return nil
}

func (v *view) operate(op string, a, b any) any {
	v.spend(1)
	switch {
	case kind(a) == "function" || kind(b) == "function":
		refuse(noScript)
	case op == "||" || op == "&&":
		return b
	case op == "===" || op == "!==":
		return (a == b) == (op == "===")
	case op == "==" || op == "!=":
		if kind(a) != kind(b) {
			refuse("comparing " + kind(a) + " with " + kind(b))
		}
		return (a == b || kind(a) == "nothing") == (op == "==")
	case op == "+" && (kind(a) == "string" || kind(b) == "string"):
		first, second := v.text(a), v.text(b)
		v.spend(len(first) + len(second))
		return first + second
	}
	x, y := number(a), number(b)
	switch op {
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	}
	return x + y // texts were joined above
}

func truthy(value any) bool {
	number, _ := value.(float64)
	return value != any(false) && value != any("") && kind(value) != "nothing" && (kind(value) != "number" || number != 0 && number == number)
}

// number reads a number, or a text that is one.
func number(value any) float64 {
	x, ok := value.(float64)
	if s, isText := value.(string); isText && digits.MatchString(s) {
		x, _ = strconv.ParseFloat(s, 64)
		ok = true
	}
	if !ok {
		refuse("a number from " + kind(value))
	}
	return x
}

var digits = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// fixed returns toFixed. It refuses what Go writes in another way: halves, which it rounds
// differently, -0 and large numbers.
func fixed(x, places float64) any {
	short := strconv.FormatFloat(x, 'f', -1, 64)
	_, fraction, _ := strings.Cut(short, ".")
	if math.Abs(x) >= 1e21 || x == 0 && math.Signbit(x) {
		return nil
	}
	if places < 0 || places > 20 || places != math.Trunc(places) || !digits.MatchString(short) || len(fraction) == int(places)+1 {
		return nil
	}
	return strconv.FormatFloat(x, 'f', int(places), 64)
}

// text returns a value as String does.
func (v *view) text(value any) string {
	switch value := value.(type) {
	case null:
		return "null"
	case undefined:
		return "undefined"
	case string:
		return value
	case bool, float64:
		return stringify(v.json(value))
	case *array:
		if !value.nodes {
			defer v.deepen(0)()
			return v.ofArray(value, "join", nil).(string)
		}
	}
	refuse("the text of " + kind(value))
	return ""
}

// json returns a value for [stringify].
func (v *view) json(value any) any {
	s, _ := value.(string)
	v.spend(16 + 2*v.deep/perCall + len(s)) // its memory, its indentation and its text
	switch value := value.(type) {
	case bool, string:
		return value
	case null:
		return nil
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) || value == 0 && math.Signbit(value) {
			refuse("showing such a number")
		}
		return value
	case *array:
		if !value.nodes {
			defer v.deepen(0)()
			all := make([]any, len(value.items))
			for i, item := range value.items {
				all[i] = v.json(item)
			}
			return all
		}
	}
	refuse("showing the " + kind(value))
	return nil
}

// show formats a value as javascript_tool does.
func (v *view) show(value any) string {
	switch value := value.(type) {
	case string, undefined:
		return v.text(value)
	case *array:
		if value.nodes {
			return "[" + strconv.Itoa(len(value.items)) + " elements]"
		}
	case *html.Node:
		if value.Type == html.DocumentNode {
			break
		}
		out := "<" + value.Data
		for _, key := range []string{"id", "class"} {
			if s := browser.OneLine(browser.Attr(value, key)); s != "" {
				out += " " + key + `="` + s + `"`
			}
		}
		return out + ">"
	}
	return pretty(v.json(value))
}
