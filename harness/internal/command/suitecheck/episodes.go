package suitecheck

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/suitecheck/ways"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// The plays of checks. Several checks share some of them.

var (
	doNothing = play{name: "making no call", adapter: ways.Nothing}
	waiting   = play{name: "waiting 5 s", adapter: ways.Waits(5 * time.Second), idle: true} // the page is left alone
)

func only(plays ...play) func(*proof, played) []play {
	return func(*proof, played) []play { return plays }
}

func repeated(p *proof, _ played) []play { return p.oracles(p.options.Repetitions) }

// wandering presses the links and buttons of the start page, each on a page that was just opened.
func wandering(p *proof, _ played) []play {
	spec := p.task.Spec
	spec.MaxSteps = min(3*maxPresses, task.LimitMaxSteps) // read, press, open
	var turns []adapter.Factory
	for n := maxPresses - 1; n >= 0; n-- { // the last press is judged, and each page with a control has the first
		turns = append(turns, ways.Presses(p.server(), n), ways.Makes(ways.Opens(p.server(), spec.StartURL)))
	}
	return []play{{name: "clicking around", spec: &spec, adapter: ways.InTurn(turns[:len(turns)-1]...)}}
}

func typing(p *proof, oracle played) (out []play) {
	for _, url := range p.urls(oracle) {
		out = append(out, play{name: "opening " + url, adapter: ways.Makes(ways.Opens(p.server(), url))})
	}
	return out
}

// cuts are the proper prefixes of the oracle, without the ones that lack only optional
// lines at the end.
func cuts(p *proof, _ played) (out []play) {
	last := len(p.oracle)
	for last > 0 && p.oracle[last-1].Optional {
		last--
	}
	for n := 1; n < last; n++ {
		out = append(out, play{name: fmt.Sprintf("cut after line %d", n), adapter: ways.Replays(p.oracle[:n])})
	}
	return out
}

func forbidden(p *proof, _ played) (out []play) {
	for _, name := range slices.Sorted(maps.Keys(p.forbids)) {
		out = append(out, play{name: name, adapter: ways.Replays(p.forbids[name])})
	}
	return out
}

// again is the oracle, and the oracle again from the start URL.
func again(p *proof, oracle played) []play {
	if len(effects(oracle)) == 0 {
		return nil
	}
	open := ways.Makes(ways.Opens(p.server(), p.task.StartURL))
	twice := ways.InTurn(ways.Replays(p.oracle), open, ways.Replays(p.oracle))
	return []play{{name: "twice", spec: p.longer(len(p.oracle) + 1), adapter: twice}}
}

// maxPresses is how many links and buttons of a page are pressed.
const maxPresses = 6

// pressing is the oracle, and then a press of a link or a button of its last page, another one each time.
func pressing(p *proof, _ played) (out []play) {
	for n := range maxPresses {
		press := ways.InTurn(ways.Replays(p.oracle), ways.Presses(p.server(), n))
		out = append(out, play{name: fmt.Sprintf("press %d", n+1), spec: p.longer(2), adapter: press})
	}
	return out
}

// longer is the task for an oracle with more calls after it.
func (p *proof) longer(more int) *task.Spec {
	spec := p.task.Spec
	spec.MaxSteps = min(len(p.oracle)+more, task.LimitMaxSteps)
	return &spec
}

// parts are the transcripts of forbidden acts of a known defect, and each part of them: the task may be
// done before the act.
func parts(p *proof, _ played) (out []play) {
	if p.defect == "" {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.forbids)) {
		for n := range p.forbids[name] {
			at := fmt.Sprintf("%s up to line %d", name, n+1)
			out = append(out, play{name: at, adapter: ways.Replays(p.forbids[name][:n+1])})
		}
	}
	return out
}

// seeds is how many seeds the seeds check looks at.
const seeds = 20

// seeded are an episode without a call on each seed, and one of the oracle, if there is one.
func seeded(p *proof, _ played) (out []play) {
	if len(p.task.Values) == 0 {
		return nil
	}
	for n := range seeds {
		name := fmt.Sprintf("seed %d, ", n)
		drawn, err := p.stage.WithSeed(p.task, n)
		if err != nil {
			out = append(out, play{name: name + "drawn", cannot: err.Error()})
			continue
		}
		out = append(out, play{name: name + "null", adapter: ways.Nothing, spec: &drawn.Spec})
		if len(p.oracle) > 0 {
			out = append(out, play{name: name + oracleCheck, adapter: drawn.Adapter, spec: &drawn.Spec, right: true})
		}
	}
	return out
}

func (p *proof) oracles(n int) (out []play) {
	replay := transcript.Replay(p.oracle)
	if p.peer {
		replay = p.task.Adapter
	}
	for i := range n {
		out = append(out, play{name: fmt.Sprintf("oracle %d", i+1), adapter: replay})
	}
	return out
}

// unpassed says why an episode of the oracle is of no use: the contract does not hold, or calls are
// missing. It is empty if the episode passed.
func (p *proof) unpassed(o played) string {
	if o.holds && len(o.steps) == len(p.oracle)+1 {
		return ""
	}
	return fmt.Sprintf("the oracle does not pass: %s: %s", o.status, display.Cut(o.reason, 200))
}
