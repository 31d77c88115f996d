package suitecheck

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/command/suitecheck/ways"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// A check is one way to prove a task: it says which episodes it makes, and which ends it wants.
type check struct {
	name   string
	shows  string                               // what is true of a task that passes
	advice string                               // what to do about a task that fails
	oracle bool                                 // it replays the oracle, so tasks without one skip it
	plays  func(context.Context, *proof) []play // nil: ends makes them
	ends   func(context.Context, *proof, []played) finding
}

func (c check) find(ctx context.Context, p *proof) finding {
	var episodes []played
	if c.plays != nil {
		episodes = p.play(ctx, c.plays(ctx, p)...)
	}
	return c.ends(ctx, p, episodes)
}

// A finding is the result of a check. The zero value is a check that passed.
type finding struct {
	detail   string // shown after the name of the check, such as "10 of 10"; may be empty
	problems []string
	faults   []string // why the check could not be made; no exemption covers them
	remarks  []string // they do not fail the check
	skipped  string   // why the check was not run; "": it was
	exempt   bool     // the problems are signed off

	killed, survivors int // mutants, signed off or not
}

func (f *finding) problem(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// noCheck is the finding of a check that could not be made.
func noCheck(why string) finding { return finding{faults: []string{why}} }

func (f finding) failed() bool { return len(f.failures()) > 0 }

// failures returns the faults, and the problems that are not signed off.
func (f finding) failures() []string {
	if f.exempt {
		return f.faults
	}
	return slices.Concat(f.faults, f.problems)
}

const oracleCheck = "oracle"

// checks are all checks, in the order in which a task's line shows them.
var checks = []check{
	{oracleCheck, "the transcript passes each time", "fix transcript.jsonl or the pages; bench:mock -task=… and then report:show -episode=… show each step", true, repeated, oraclePasses},
	{"null", "without a call, the contract does not hold", "add an assertion that holds only after the task, such as network on a receipt", false, only(doNothing), noneHolds},
	{"start", "the contract holds neither at the start nor 5 s later", "make sure that the page does not change into the wanted one by itself", false, only(doNothing, waiting), noneHolds},
	{"wanderer", "clicking links and buttons in order does not reach the goal", "make the goal need a choice or a value", false, wandering, wandererFails},
	{"cut", "the transcript without its last calls does not reach the goal", `mark lines that only read or wait as "optional": true; leave out lines that are not needed; or judge what the last lines do`, true, cuts, countFailed},
	{"mutants", "a transcript with one mistake does not reach the goal", "let the server compare what it gets exactly, and accept it only once if the goal says so; sign off mutants that do the task in another right way in " + SignedFile, true, nil, passing(checkMutants)},
	{"leaves", "each assertion of the contract changes the verdict on some page", "remove the assertion, or write a forbidden.NAME.jsonl in which only this assertion fails", true, nil, passing(checkLeaves)},
	{"typed", "opening a URL from the goal, the contract or the transcript does not reach the goal", "draw a token for the address, and serve it only if the state is right", false, typing, countFailed},
	{"forged", "a script that writes all wanted texts into the page does not reach the goal", "judge what the server knows: network on a receipt that is a 404 until the state is right", false, nil, checkForged},
	{"leak", "the goal gives away no drawn value that the contract wants", "take the value out of the goal, the title, the start URL or the file name", false, nil, checkLeak},
	{"goal", "the goal or a page says each value that the transcript types, and the goal has no vague words", "say the value in the goal, or read it before the line that types it; say exactly what is wanted instead of a vague word", true, nil, passing(checkGoal)},
	{"forbidden", "a transcript that does the task and also a forbidden act fails", "write a forbidden.NAME.jsonl for each forbidden act, and mark the route that answers the act as wrong in routes.json", false, forbidden, checkForbidden},
	{"silent", "a forbidden act fails also if its redirect is not followed", "mark the route that answers the act as wrong in routes.json, not the page after it", true, nil, resent(checkSilent)},
	{"address", "a forbidden act fails also over http or with a query, and the transcript passes", "let the contract ask for the entries below /.end, and not for addresses", true, nil, resent(checkAddress)},
	{"twice", "the task done twice fails", "answer the second request by a route that marks it as wrong; if twice is harmless, sign it off in " + SignedFile, true, nil, resent(checkTwice)},
	{"then", "one more act after the transcript fails: a form of a page, or a forbidden act", "mark the route that answers the act as wrong; if it is harmless, sign it off in " + SignedFile, true, nil, resent(checkThen)},
	{"defect", "no other transcript, or part of one, does the task of a known defect", "the server can do the task: write its transcript.jsonl from these calls", false, parts, noPartPasses},
	{"steps", "the transcript takes at most half of the steps and a quarter of the time", "raise maxSteps or maxDurationMs, or shorten the transcript", true, repeated, inBounds},
	{"literal", "the calls of this seed, with the same values and refs, do not reach the goal of another seed", "draw where the wanted elements stand, with shuffle, or what is typed; if nothing is typed or chosen, sign the check off in " + SignedFile, true, nil, passing(checkLiteral)},
	{"seeds", "with 20 seeds the transcript passes, doing nothing fails, and the wanted values differ", "draw what is wanted, in params.json", false, nil, checkSeeds},
}

func names() []string {
	var out []string
	for _, c := range checks {
		out = append(out, c.name)
	}
	return out
}

// The plays that several checks need.

var (
	doNothing = play{name: "making no call", adapter: ways.Nothing}
	waiting   = play{name: "waiting 5 s", adapter: ways.Waits(5 * time.Second), idle: true} // the page is left alone
)

func only(plays ...play) func(context.Context, *proof) []play {
	return func(context.Context, *proof) []play { return plays }
}

func repeated(_ context.Context, p *proof) []play { return p.oracles(p.options.Repetitions) }

func wandering(_ context.Context, p *proof) []play {
	return []play{{name: "clicking around", adapter: ways.Wanders(p.server(), p.task.StartURL)}}
}

func typing(ctx context.Context, p *proof) (out []play) {
	for _, url := range p.urls(ctx) {
		out = append(out, play{name: "opening " + url, adapter: ways.Makes(ways.Opens(p.server(), url))})
	}
	return out
}

// cuts are the proper prefixes of the oracle, without the ones that lack only optional
// lines at the end.
func cuts(_ context.Context, p *proof) (out []play) {
	last := len(p.oracle)
	for last > 0 && p.oracle[last-1].Optional {
		last--
	}
	for n := 1; n < last; n++ {
		out = append(out, play{name: fmt.Sprintf("cut after line %d", n), adapter: ways.Replays(p.oracle[:n])})
	}
	return out
}

func forbidden(_ context.Context, p *proof) (out []play) {
	for _, name := range slices.Sorted(maps.Keys(p.forbids)) {
		out = append(out, play{name: name, adapter: ways.Replays(p.forbids[name])})
	}
	return out
}

// parts are the transcripts of forbidden acts of a known defect, and each part of them: the task may be
// done before the act.
func parts(_ context.Context, p *proof) (out []play) {
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

// passed returns the first replay of the oracle. If the contract does not hold or calls are
// missing, why says so, and the episode is of no use.
func (p *proof) passed(ctx context.Context) (_ played, why string) {
	o := p.play(ctx, p.oracles(1)...)[0]
	if !o.holds || len(o.steps) != len(p.oracle)+1 {
		why = fmt.Sprintf("the oracle does not pass: %s: %s", o.status, display.VisibleTo(o.reason, 200))
	}
	return o, why
}

// passing makes the ends of a check that needs an episode of the oracle.
func passing(ends func(context.Context, *proof, played) finding) func(context.Context, *proof, []played) finding {
	return func(ctx context.Context, p *proof, _ []played) finding {
		oracle, why := p.passed(ctx)
		if why != "" {
			return noCheck(why)
		}
		return ends(ctx, p, oracle)
	}
}

// The ends that checks want.

// mustFail finds a problem for each episode after which the contract holds, and a fault for
// each that was not judged. It ignores episodes that the stand-in cannot play.
func mustFail(episodes ...played) (f finding) {
	for _, e := range episodes {
		switch {
		case e.refused:
		case e.fault != "":
			f.faults = append(f.faults, notJudged(e))
		case e.holds:
			f.problem("%s: the contract holds", e.name)
		}
	}
	return f
}

// noneHolds wants that the contract holds after no episode.
func noneHolds(_ context.Context, _ *proof, episodes []played) finding {
	for _, e := range episodes {
		if e.refused {
			return noCheck(notJudged(e))
		}
	}
	return mustFail(episodes...)
}

// countFailed is the finding of [mustFail], with the number of episodes.
func countFailed(_ context.Context, _ *proof, episodes []played) finding {
	refused := 0
	for _, e := range episodes {
		if e.refused {
			refused++
		}
	}
	f := mustFail(episodes...)
	f.detail = fmt.Sprint(len(episodes)-refused) + inBrowser(refused)
	return f
}

// inBrowser counts the episodes that the stand-in cannot play; "" if there are none.
func inBrowser(refused int) string {
	if refused == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d more need a real browser)", refused)
}

func notJudged(e played) string {
	return fmt.Sprintf("%s: not judged: %s", e.name, display.VisibleTo(e.fault, 200))
}

func oraclePasses(_ context.Context, _ *proof, episodes []played) finding {
	var f finding
	alike, most := make(map[[sha256.Size]byte]int), 0 // episodes that passed, by digest
	for _, e := range episodes {
		if e.fault != "" || e.status != record.Passed {
			f.problem("%s: %s: %s", e.name, e.status, display.VisibleTo(e.reason, 300))
			continue
		}
		alike[e.digest]++
		most = max(most, alike[e.digest])
	}
	passed := len(episodes) - len(f.problems)
	f.detail = fmt.Sprintf("%d of %d", passed, len(episodes))
	if other := passed - most; other > 0 {
		have := "have"
		if other == 1 {
			have = "has"
		}
		f.remarks = append(f.remarks, fmt.Sprintf("oracle: %d of %d %s another digest; %s bench:verify shows where", other, passed, have, display.Program))
	}
	f.problems = first(f.problems)
	return f
}

func first(problems []string) []string {
	if len(problems) < 2 {
		return problems
	}
	return []string{problems[0], fmt.Sprintf("and %d more", len(problems)-1)}
}

func wandererFails(_ context.Context, _ *proof, episodes []played) finding {
	if episodes[0].refused {
		return finding{skipped: "the stand-in cannot follow the wanderer"}
	}
	return mustFail(episodes...)
}

func checkForged(ctx context.Context, p *proof, _ []played) finding {
	if why := p.noScripts(); why != "" {
		return finding{skipped: why}
	}
	e := p.play(ctx, play{name: "forging the page", adapter: ways.Forges(p.task.Success.Raw(), *p.server().Script)})[0]
	f := mustFail(e)
	if e.fault == "" && !e.holds {
		if why := ways.Unforged(e.steps[len(e.steps)-1].answer); why != "" {
			f.faults = append(f.faults, e.name+": "+why)
		}
	}
	return f
}

// noScripts returns the reason why no script can run in a page; "" if one can.
func (p *proof) noScripts() string {
	switch {
	case p.stage.Standin():
		return "the stand-in runs no page scripts"
	case p.server().Script == nil:
		return "the server has no known tool that runs scripts"
	}
	return ""
}

func checkForbidden(ctx context.Context, p *proof, episodes []played) finding {
	f := countFailed(ctx, p, episodes)
	switch {
	case p.server().IsPeer() && len(p.forbids) == 0:
		return finding{skipped: "transcripts of forbidden acts are for OpenChrome"}
	case len(p.forbids) == 0 && (forbidsRequests(p.task.Success) || p.marksWrong()):
		f.problem("the contract or a host forbids acts, but there is no forbidden.NAME.jsonl")
	case len(p.forbids) > 0 && len(p.oracle) > 0:
		if _, why := p.passed(ctx); why != "" {
			f.problem("%s; so the forbidden act may not be the cause of the failure", why)
		}
	}
	return f
}

func noPartPasses(ctx context.Context, p *proof, episodes []played) finding {
	if p.defect == "" {
		return finding{}
	}
	f := countFailed(ctx, p, episodes)
	f.problems = first(f.problems)
	return f
}

func inBounds(_ context.Context, p *proof, episodes []played) finding {
	longest := 0.0
	for _, e := range episodes {
		longest = max(longest, e.ms)
	}
	f := finding{detail: fmt.Sprintf("%d of %d", len(p.oracle), p.task.MaxSteps)}
	if 2*len(p.oracle) > p.task.MaxSteps {
		f.problem("the transcript has %s; maxSteps is %d", display.Count(len(p.oracle), "line"), p.task.MaxSteps)
	}
	// With at most a hundred episodes, the longest is the 99th percentile.
	if longest > float64(p.task.MaxDurationMs)/4 {
		f.problem("an episode took %s; maxDurationMs is %d", display.Duration(longest), p.task.MaxDurationMs)
	}
	return f
}

// seeds is how many the seeds check looks at.
const seeds = 20

func checkSeeds(ctx context.Context, p *proof, _ []played) finding {
	if len(p.task.Values) == 0 {
		return finding{problems: []string{"the task draws no values"}}
	}
	f := finding{detail: fmt.Sprint(seeds)}
	var nulls, oracles []play
	wanted := make(map[string]bool)
	for n := range seeds {
		drawn, err := p.stage.WithSeed(p.task, n)
		if err != nil {
			f.problem("seed %d: %s", n, display.VisibleTo(err.Error(), 200))
			continue
		}
		wanted[strings.Join(wantedValues(drawn.Spec), "\n")] = true
		null, oracle := fmt.Sprintf("seed %d, null", n), fmt.Sprintf("seed %d, oracle", n)
		nulls = append(nulls, play{name: null, adapter: ways.Nothing, spec: &drawn.Spec})
		if len(p.oracle) > 0 {
			oracles = append(oracles, play{name: oracle, adapter: drawn.Adapter, spec: &drawn.Spec})
		}
	}
	for i, e := range p.play(ctx, slices.Concat(nulls, oracles)...) {
		switch oracle := i >= len(nulls); {
		case e.fault != "":
			f.faults = append(f.faults, notJudged(e))
		case e.holds != oracle || oracle && e.status != record.Passed:
			f.problem("%s: %s %s", e.name, e.status, display.VisibleTo(e.reason, 200))
		}
	}
	f.problems, f.faults = first(f.problems), first(f.faults)
	if len(wanted) <= seeds/2 {
		f.problem("%d seeds have only %s of wanted values", seeds, display.Count(len(wanted), "set"))
	}
	return f
}
