package suitecheck

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/suitecheck/args"
	"github.com/openchrome/bench/harness/internal/command/suitecheck/ways"
	"github.com/openchrome/bench/harness/internal/text/display"
)

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
