package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
)

// said says where the output of an agent has what.
type said struct {
	Lines  bool             `json:"lines"` // each line is a JSON object; otherwise the output is one
	Answer place            `json:"answer"`
	Usage  map[string]place `json:"usage"` // by the names of [adapter.Usage]
	Cost   place            `json:"costUsd"`
	Outage []place          `json:"outage"` // the first that matches
}

// place is a place in JSON objects.
type place struct {
	Where   []string `json:"where"`   // conditions that an object must meet, such as type=error
	At      string   `json:"at"`      // names of members, with dots; * is each member. Empty: the text
	Less    string   `json:"less"`    // a number there is subtracted
	Unless  string   `json:"unless"`  // a condition under which nothing is known
	Zero    string   `json:"zero"`    // "unknown": a sum of 0 means that nothing is known
	Matches string   `json:"matches"` // a regular expression
}

// read adds what the output says to a. If it is not whole, sums are unknown.
func (s said) read(stdout, all string, whole bool, a *adapter.Agent) {
	objects := s.objects(stdout)
	for _, v := range s.Answer.find(objects) {
		if text, ok := v.(string); ok {
			a.Answer = text // the last one
		}
	}
	if !whole {
		s.Usage, s.Cost = nil, place{}
	}
	usage := map[string]int{}
	for name, p := range s.Usage {
		if sum, ok := p.sum(objects); ok && sum == math.Trunc(sum) {
			usage[name] = int(sum)
		}
	}
	raw, _ := json.Marshal(usage) // its names are those of the JSON
	var u adapter.Usage
	if json.Unmarshal(raw, &u) == nil && len(usage) > 0 && possible(&u) {
		a.Usage = &u
	}
	if cost, ok := s.Cost.sum(objects); ok && possibleCost(&cost) {
		a.CostUSD = &cost
	}
	for _, p := range s.Outage {
		if text := p.text(objects, all); text != "" {
			a.Outage = "the agent's provider failed: " + text
			return
		}
	}
}

func (s said) objects(text string) (objects []any) {
	add := func(raw []byte) {
		var v map[string]any
		if json.NewDecoder(bytes.NewReader(raw)).Decode(&v) == nil && v != nil {
			objects = append(objects, v)
		}
	}
	if !s.Lines {
		if i := strings.Index("\n"+text, "\n{"); i >= 0 { // warnings can come before it
			add([]byte(text[i:]))
		}
		return objects
	}
	for line := range strings.Lines(text) {
		add([]byte(line))
	}
	return objects
}

// find returns the values at the place, in the order of the objects.
func (p place) find(objects []any) (values []any) {
	for _, o := range objects {
		if p.meets(o) && p.At != "" {
			values = append(values, follow(o, p.At)...)
		}
	}
	return values
}

func (p place) meets(o any) bool {
	for _, condition := range p.Where {
		if !holds(o, condition) {
			return false
		}
	}
	return true
}

// holds reports whether a condition such as type=error holds for a value at its place.
func holds(o any, condition string) bool {
	at, want, _ := strings.Cut(condition, "=")
	for _, v := range follow(o, at) {
		if fmt.Sprint(v) == want {
			return true
		}
	}
	return false
}

func follow(v any, path string) (values []any) {
	name, rest, more := strings.Cut(path, ".")
	members, _ := v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(members)) { // in one order: a sum depends on it
		switch value := members[key]; {
		case name != "*" && name != key:
		case more:
			values = append(values, follow(value, rest)...)
		default:
			values = append(values, value)
		}
	}
	return values
}

// sum adds up the numbers at the place; ok is false if there is none, or one is no number.
func (p place) sum(objects []any) (sum float64, ok bool) {
	for _, o := range objects {
		if p.Unless != "" && holds(o, p.Unless) {
			return 0, false
		}
	}
	add := func(at string, sign float64) bool {
		values := place{Where: p.Where, At: at}.find(objects)
		for _, v := range values {
			n, isNumber := v.(float64)
			if !isNumber {
				return false
			}
			sum += sign * n
		}
		return len(values) > 0
	}
	ok = add(p.At, 1) && (p.Less == "" || add(p.Less, -1))
	return sum, ok && (sum != 0 || p.Zero == "")
}

// text returns the text at the place if it matches, else "". Without a place it is what matches
// in the whole output.
func (p place) text(objects []any, all string) string {
	matches, err := regexp.Compile(p.Matches)
	if err != nil {
		return ""
	}
	if p.At == "" {
		return matches.FindString(all)
	}
	for _, v := range p.find(objects) {
		text, ok := v.(string)
		if n, isNumber := v.(float64); isNumber {
			text, ok = fmt.Sprint(n), true
		}
		if ok && matches.MatchString(text) {
			return text
		}
	}
	return ""
}
