// Package param draws the values of a task from a seed: names, prices, orders of rows. The
// task's goal, contract, transcripts and pages show the same values.
//
//  1. [Read] reads a params.json, which says how each value is drawn (spec.go, rules.go).
//  2. [Spec.Draw] draws the [Values] for a [Seed]. The same seed always gives the same
//     values, on every machine and with every version of Go (stream.go).
//  3. [Values.Fill] replaces the placeholders {{param.NAME}} in a JSON file (fill.go).
package param

import (
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// FileName is the file with the rules for a task's values.
const FileName = "params.json"

// Spec says how the values of a task are drawn. The zero value has none.
type Spec struct {
	Sites  []string // the hosts whose pages show the values
	values []value  // in the order of the file
}

// value is the rule for one value. draw may use the values before it.
type value struct {
	name string
	draw func(*stream, Values) any
}

// Draw draws the values of a seed for a revision of a task. Some values are missing if [Read] found
// faults.
func (s Spec) Draw(seed int, task string, revision int) Values {
	v := make(Values, len(s.values))
	for _, rule := range s.values {
		v[rule.name] = rule.draw(newStream(seed, task, revision, rule.name), v)
	}
	return v
}

// Read reads a params.json and adds faults to f. hosts are the fixture hosts that show
// values; nil means any host.
func Read(f *jsonfile.File, hosts []string) Spec {
	r := &reader{File: f, sample: make(Values), decimals: make(map[string]int), faulty: make(map[string]bool)}
	f.Fields(f.Value(),
		jsonfile.Field{Name: "sites", Read: func(n *jsonfile.Node) {
			f.Array(n, "hosts", func(n *jsonfile.Node) {
				host := f.Text(n)
				switch {
				case slices.Contains(r.spec.Sites, host):
					f.FaultAt(n, "the host is listed twice")
				case n.Kind == jsonfile.String && hosts != nil && !slices.Contains(hosts, host):
					f.FaultAt(n, "no fixture site %s shows drawn values%s", display.Quote(host), display.DidYouMean(host, hosts))
				}
				r.spec.Sites = append(r.spec.Sites, host)
			})
		}},
		jsonfile.Field{Name: "values", Required: true, Read: func(n *jsonfile.Node) {
			if f.Want(n, jsonfile.Object, "an object of values") {
				for _, v := range n.Items {
					r.value(v)
				}
			}
		}},
		jsonfile.Field{Name: "$schema", Read: func(n *jsonfile.Node) { f.Text(n) }},
	)
	return r.spec
}

// reader reads the rules in the order of the file. It draws a sample of each value, to check
// the rules that use it: all seeds give the same form, and only their texts differ.
type reader struct {
	*jsonfile.File
	spec     Spec
	sample   Values
	decimals map[string]int  // by the name of a number, or of a list of numbers
	faulty   map[string]bool // values without a sample
	size     int             // bytes of the sample, see maxDrawn
}

var validName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9]*$`)

// value reads the rule of one value. After a fault it draws no more samples, because they
// could depend on the value with the fault.
func (r *reader) value(n *jsonfile.Node) {
	r.name(n)
	draw := r.rule(n)
	if len(r.Faults) > 0 {
		r.faulty[n.Key] = true
		return
	}
	sample := draw(newStream(0, "", 0, n.Key), r.sample)
	one := Values{n.Key: sample}
	for _, path := range one.Paths() {
		text, _ := one.Text(path)
		r.size += len(text) + textSize
	}
	if r.size > maxDrawn {
		r.faulty[n.Key] = true
		r.FaultAt(n, "with this value, the values can take more than %d MiB; draw fewer or shorter ones", maxDrawn>>20)
		return
	}
	r.sample[n.Key] = sample
	r.spec.values = append(r.spec.values, value{n.Key, draw})
}

func (r *reader) name(n *jsonfile.Node) {
	if !validName.MatchString(n.Key) {
		r.FaultAt(n, "the name %s must begin with a letter, and have only letters and digits", display.Quote(n.Key))
	}
}

// path reads the place of a text in the values before this one, such as "price" or
// "rows.3.name".
func (r *reader) path(n *jsonfile.Node, path string) {
	name, _, _ := strings.Cut(path, ".")
	if _, ok := r.sample.Text(path); !ok && !r.faulty[name] && !r.Full() {
		r.FaultAt(n, "no value before this one has a text %s%s", display.Quote(path), r.sample.near(path))
	}
}

// list reads the name of a list before this value, and returns the list of the sample.
func (r *reader) list(n *jsonfile.Node) any {
	name := r.Text(n)
	switch list := r.sample[name].(type) {
	case []string, []Row:
		return list
	}
	if n.Kind == jsonfile.String && !r.faulty[name] && !r.Full() {
		r.FaultAt(n, "no value before this one is a list %s%s", display.Quote(name), display.DidYouMean(name, r.sample.listNames()))
	}
	return nil
}
