package suitecheck

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/suitecheck/args"
	"github.com/openchrome/bench/harness/internal/command/suitecheck/ways"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// maxMutants bounds the number of mutants of a task. If there are more, maxMutants of them
// are played, evenly spaced.
const maxMutants = 100

// mutants are the oracle with one mistake each: a line left out, an argument changed, or the last
// two lines swapped. oracle is its episode, with the arguments as they were sent.
//
// Lines that only read or wait are not changed. Lines that save a text are only left out,
// because the text that they save is changed where it is used.
func mutants(p *proof, oracle played) (out []play) {
	add := func(name string, m mistake, lines []transcript.Line) {
		out = append(out, play{name: name, mistake: m, adapter: ways.Replays(lines)})
	}
	var required []int
	for i, l := range p.oracle {
		if l.Optional {
			continue
		}
		required = append(required, i)
		line := fmt.Sprintf("line %d", i+1)
		if len(p.oracle) > 1 {
			add(line+leftOut, mistake{line: i + 1, leftOut: true}, slices.Delete(slices.Clone(p.oracle), i, i+1))
		}
		if l.Saves() {
			continue
		}
		for _, m := range p.changes(oracle, i) {
			lines := slices.Clone(p.oracle)
			lines[i].Change = func(c adapter.Call) adapter.Call {
				c.Args = m.apply(c.Args)
				return c
			}
			add(line+m.name, mistake{i + 1, m.field, m.leftOut}, lines)
		}
	}
	if n := len(required); n > 1 {
		lines := slices.Clone(p.oracle)
		a, b := required[n-2], required[n-1]
		lines[a], lines[b] = lines[b], lines[a]
		add(fmt.Sprintf("lines %d and %d: swapped", a+1, b+1), mistake{}, lines)
	}
	if len(out) > maxMutants {
		some := make([]play, maxMutants)
		for i := range some {
			some[i] = out[i*len(out)/maxMutants]
		}
		out = some
	}
	return out
}

const leftOut = ": left out"

// An edit changes the arguments of a call.
type edit struct {
	name    string // of the argument and the change
	field   string // the argument; empty: several
	leftOut bool
	apply   func(json.RawMessage) json.RawMessage
}

func (p *proof) changes(oracle played, i int) (out []edit) {
	call := oracle.steps[i+1].Call
	given := call.Args
	tool, _ := p.server().ToolOf(call)
	if tool.Does == server.Presses {
		return []edit{{" " + tool.Value + ": another key", tool.Value, false, func(a json.RawMessage) json.RawMessage {
			return args.Replace(a, "/"+tool.Value, func(string) string { return "F9" })
		}}}
	}
	if tool.Does == server.Reads && tool.Query == "" { // what it waits for is no mistake
		return nil
	}
	var texts []string // pointers of typed texts
	for _, n := range args.Values(given) {
		at := n.Pointer()
		show := strings.ReplaceAll(strings.Trim(at, "/"), "/", " ")
		p.changesOf(oracle, tool, n, func(means string, to func(old string) string) {
			if to(n.Text) != n.Text {
				apply := func(a json.RawMessage) json.RawMessage { return args.Replace(a, at, to) }
				out = append(out, edit{" " + show + ": " + means, show, false, apply})
			}
		})
		if name, ok := strings.CutPrefix(at, "/"+tool.Fields+"/"); ok && tool.Fields != "" && !strings.Contains(name, "/") {
			without := func(a json.RawMessage) json.RawMessage { return args.Without(a, at) }
			out = append(out, edit{" " + show + leftOut, show, true, without})
		}
		if args.TypedText(tool, n) {
			texts = append(texts, at)
		}
	}
	if len(texts) > 1 {
		out = append(out, edit{": two typed values swapped", "", false, func(a json.RawMessage) json.RawMessage {
			first, second := args.TextAt(a, texts[0]), args.TextAt(a, texts[1])
			a = args.Replace(a, texts[0], func(string) string { return second })
			return args.Replace(a, texts[1], func(string) string { return first })
		}})
	}
	return out
}

// changesOf adds the changes of a value. means is such as "one letter changed".
func (p *proof) changesOf(
	oracle played, tool server.Tool, n *jsonfile.Node, add func(means string, to func(old string) string),
) {
	const other = "another drawn value"
	use := args.UseOf(tool, n)
	inFields := tool.Fields != "" && strings.HasPrefix(n.Pointer(), "/"+tool.Fields+"/")
	sibling := p.sibling(n.Text)
	switch {
	case n.Text == "true" && inFields: // the opposite of true is to leave it out
	case n.Kind == jsonfile.Bool || use == args.Typed && args.Boolean(n.Text):
		add("the opposite", func(old string) string { return strconv.FormatBool(old != "true") })
	case use == args.Typed:
		add("one character changed", args.Alter)
		add("the case changed", args.SwapCase)
		add(other, sibling)
	case use == args.Query:
		add(other, sibling)
		add("another query", func(string) string { return otherQuery(oracle, n.Text) })
	case use == args.Ref:
		add("the next element", args.Next)
	case n.Kind == jsonfile.Number && strings.Contains(n.Pointer(), "/coordinate/"):
		add("50 pixels further", func(old string) string {
			v, _ := strconv.ParseFloat(old, 64) // it is a JSON number
			return strconv.FormatFloat(v+50, 'f', -1, 64)
		})
	}
}

// sibling returns the function that replaces a drawn text by the next one of the list from
// which it was drawn.
func (p *proof) sibling(text string) func(string) string {
	for _, list := range p.task.Values.Lists() {
		for i, item := range list {
			if other := list[(i+1)%len(list)]; other != item && hasWord(text, item) {
				return func(old string) string { return strings.Replace(old, item, other, 1) }
			}
		}
	}
	return func(old string) string { return old }
}

// otherQuery returns another query of the transcript, or "Home". It has no word or part of a
// word in common with query, because a server may find an element by one word.
func otherQuery(oracle played, query string) string {
	for _, s := range oracle.steps {
		for _, n := range args.Values(s.Args) {
			if n.Key == "query" && !args.Alike(n.Text, query) {
				return n.Text
			}
		}
	}
	return "Home"
}

// A mistake says what a mutant changes.
type mistake struct {
	line    int    // from 1; 0: several lines, or the play is no mutant
	field   string // the argument, such as "fields Name"; empty: several arguments, or the line
	leftOut bool
}

// within reports whether m changes a part of what other leaves out.
func (m mistake) within(other mistake) bool {
	return other.leftOut && m != other && m.line == other.line && (other.field == "" || m.field == other.field)
}

// mutantsFail leaves out the changes of a line or a field that survives when it is left out: they show
// nothing more.
func mutantsFail(p *proof, _ played, episodes []played) finding {
	alive := slices.DeleteFunc(slices.Clone(episodes), func(e played) bool { return !e.holds })
	whole := slices.DeleteFunc(slices.Clone(episodes), func(e played) bool {
		return slices.ContainsFunc(alive, func(s played) bool { return e.mistake.within(s.mistake) })
	})
	f := mustFail(whole...)
	f.survivors = len(f.problems)
	f.killed = len(whole) - f.refused - len(f.faults) - f.survivors
	f.unsign(p.signed.Survivors)
	f.detail = fmt.Sprintf("%d of %d killed", f.killed, f.killed+f.survivors)
	return f
}

// otherSeeds is how many seeds the literal check tries. On one of them, what is wanted may
// stand at the same place by chance.
const otherSeeds = 3

// literals are the calls of the oracle's episode, made on other seeds: as they were sent, and with refs
// that the lines read anew. A line finds a ref by what was wanted in the first seed, such as a name.
func literals(p *proof, oracle played) (out []play) {
	var sent []func(tab string) adapter.Call
	lines := slices.Clone(p.oracle)
	tabs, reads := p.server().Tabs.Argument, false
	for i, s := range oracle.steps[1:] {
		sent = append(sent, func(tab string) adapter.Call {
			call := s.Call // the episodes of several seeds make it at the same time
			call.Args = args.Replace(call.Args, "/"+tabs, func(string) string { return tab })
			return call
		})
		isRef := func(n *jsonfile.Node) bool { return args.UseOf(p.tool(s.Call), n) == args.Ref }
		reads = reads || lines[i].Saves() || slices.ContainsFunc(args.Values(s.Args), isRef)
		lines[i].Change = func(now adapter.Call) adapter.Call {
			call := s.Call
			for _, n := range args.Values(s.Args) {
				if isRef(n) || n.Key == tabs || filepath.IsAbs(n.Text) { // of this session
					other := args.TextAt(now.Args, n.Pointer())
					call.Args = args.Replace(call.Args, n.Pointer(), func(string) string { return other })
				}
			}
			return call
		}
	}
	for n := p.options.Seed + 1; n <= p.options.Seed+otherSeeds; n++ {
		same := play{name: fmt.Sprintf("the same calls on seed %d", n), adapter: ways.Makes(sent...)}
		anew := play{name: fmt.Sprintf("the same calls with new refs on seed %d", n), adapter: ways.Replays(lines)}
		drawn, err := p.stage.WithSeed(p.task, n)
		if err != nil {
			same.cannot, anew.cannot = err.Error(), err.Error()
		}
		same.spec, anew.spec = &drawn.Spec, &drawn.Spec
		if out = append(out, same); reads {
			out = append(out, anew)
		}
	}
	return out
}

// literalsFail finds a problem for calls after which the contract holds on each seed.
func literalsFail(_ *proof, _ played, episodes []played) finding {
	f := finding{faults: mustFail(episodes...).faults}
	ways := len(episodes) / otherSeeds // one or two for each seed
	for way := range ways {
		last, holds := played{}, true
		for i := way; i < len(episodes); i += ways {
			last, holds = episodes[i], holds && episodes[i].holds
		}
		if holds {
			f.problem("%s: the contract holds", last.name)
		}
	}
	return f
}
