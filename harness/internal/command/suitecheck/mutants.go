package suitecheck

import (
	"context"
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
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// maxMutants bounds the number of mutants of a task. If there are more, maxMutants of them
// are played, evenly spaced.
const maxMutants = 100

// mutants are the oracle with one mistake each: a line left out, an argument changed, or the last
// two lines swapped. played is the oracle's episode, with the arguments as they were sent.
//
// Lines that only read or wait are not changed. Lines that save a text are only left out,
// because the text that they save is changed where it is used.
func (p *proof) mutants(oracle played) (out []play) {
	add := func(place, name string, m mistake, lines []transcript.Line) {
		out = append(out, play{name: place + name, mistake: m, adapter: ways.Replays(lines)})
	}
	var required []int
	for i, l := range p.oracle {
		if l.Optional {
			continue
		}
		required = append(required, i)
		line := fmt.Sprintf("line %d", i+1)
		if len(p.oracle) > 1 {
			add(line, leftOut, mistake{line: i + 1, leftOut: true}, slices.Delete(slices.Clone(p.oracle), i, i+1))
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
			add(line, m.name, mistake{i + 1, m.field, m.leftOut}, lines)
		}
	}
	if n := len(required); n > 1 {
		lines := slices.Clone(p.oracle)
		a, b := required[n-2], required[n-1]
		lines[a], lines[b] = lines[b], lines[a]
		add(fmt.Sprintf("lines %d and %d", a+1, b+1), ": swapped", mistake{}, lines)
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

// twice is the oracle, and the oracle again from the start URL.
func (p *proof) twice() play {
	spec := p.task.Spec
	spec.MaxSteps = min(2*len(p.oracle)+1, 100) // the largest cap
	open := ways.Makes(ways.Opens(p.server(), spec.StartURL))
	return play{name: "twice", spec: &spec, adapter: ways.InTurn(ways.Replays(p.oracle), open, ways.Replays(p.oracle))}
}

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
			out = append(out, edit{" " + show + leftOut, show, true, func(a json.RawMessage) json.RawMessage { return args.Without(a, at) }})
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

const leftOut = ": left out"

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

// withoutParts returns the mutants without the changes of a line or a field that survives
// when it is left out: they show nothing more.
func withoutParts(mutants, survivors []played) (out []played) {
	for _, m := range mutants {
		if !slices.ContainsFunc(survivors, func(s played) bool { return m.mistake.within(s.mistake) }) {
			out = append(out, m)
		}
	}
	return out
}

func checkMutants(ctx context.Context, p *proof, oracle played) finding {
	var f finding
	var refused int
	var alive, dead []played
	for _, e := range p.play(ctx, p.mutants(oracle)...) {
		switch {
		case e.refused:
			refused++
		case e.fault != "":
			f.faults = append(f.faults, notJudged(e))
		case e.holds:
			alive = append(alive, e)
		default:
			dead = append(dead, e)
		}
	}
	killed := len(withoutParts(dead, alive))
	alive = withoutParts(alive, alive)
	for _, e := range alive {
		f.problem("%s: the contract holds", e.name)
	}
	f.unsign(p.signed.Survivors, "survive")
	f.killed, f.survivors = killed, len(alive)
	f.detail = fmt.Sprintf("%d of %d killed", killed, killed+len(alive)) + inBrowser(refused)
	return f
}

// otherSeeds is how many seeds the literal check tries. On one of them, what is wanted may
// stand at the same place by chance.
const otherSeeds = 3

// literals are the calls of the oracle's episode, to be made on another seed: as they were
// sent, and with refs that the lines read anew. A line finds a ref by what was wanted in the
// first seed, such as a name.
func (p *proof) literals(oracle played) map[string]adapter.Factory {
	var sent []func(tab string) adapter.Call
	lines := slices.Clone(p.oracle)
	reads := false
	for i, s := range oracle.steps[1:] {
		sent = append(sent, func(tab string) adapter.Call {
			s.Args = args.Replace(s.Args, "/"+p.server().Tabs.Argument, func(string) string { return tab })
			return s.Call
		})
		reads = reads || lines[i].Saves()
		for _, n := range args.Values(s.Args) {
			reads = reads || args.UseOf(p.tool(s.Call), n) == args.Ref
		}
		lines[i].Change = func(now adapter.Call) adapter.Call {
			call := s.Call
			for _, n := range args.Values(s.Args) {
				isRef := args.UseOf(p.tool(call), n) == args.Ref
				if isRef || n.Key == p.server().Tabs.Argument || filepath.IsAbs(n.Text) { // of this session
					call.Args = args.Replace(call.Args, n.Pointer(), func(string) string { return args.TextAt(now.Args, n.Pointer()) })
				}
			}
			return call
		}
	}
	out := map[string]adapter.Factory{"the same calls": ways.Makes(sent...)}
	if reads {
		out["the same calls with new refs"] = ways.Replays(lines)
	}
	return out
}

func checkLiteral(ctx context.Context, p *proof, oracle played) finding {
	var f finding
	for name, calls := range p.literals(oracle) {
		var last played
		for n := p.options.Seed + 1; n <= p.options.Seed+otherSeeds; n++ {
			drawn, err := p.stage.WithSeed(p.task, n)
			if err != nil {
				return noCheck(display.VisibleTo(err.Error(), 200))
			}
			last = p.play(ctx, play{name: fmt.Sprintf("%s on seed %d", name, n), adapter: calls, spec: &drawn.Spec})[0]
			if !last.holds {
				break
			}
		}
		one := mustFail(last)
		f.problems, f.faults = append(f.problems, one.problems...), append(f.faults, one.faults...)
	}
	slices.Sort(f.problems)
	return f
}
