package suitecheck

import (
	"context"
	"fmt"
	"slices"
)

// A check is one way to prove a task: it says which episodes it makes, and which ends it wants.
type check struct {
	name   string
	shows  string // what is true of a task that passes
	advice string // what to do about a task that fails
	needs  demand
	plays  func(p *proof, oracle played) []play
	ends   func(p *proof, oracle played, episodes []played) finding
}

// A demand is what a check needs of the task's oracle.
type demand int

// The demands. Each includes the ones before it.
const (
	none  demand = iota
	look         // its first episode, if there is an oracle
	exist        // a task without an oracle skips the check
	pass         // also that its first episode passes
)

func (c check) find(ctx context.Context, p *proof) finding {
	var first played
	if c.needs != none && len(p.oracle) > 0 {
		first = p.play(ctx, p.oracles(1)...)[0]
	}
	if why := p.unpassed(first); c.needs == pass && why != "" {
		return finding{faults: []string{why}}
	}
	return c.ends(p, first, p.play(ctx, c.plays(p, first)...))
}

// A finding is the result of a check. The zero value is a check that passed.
type finding struct {
	detail   string // shown after the name of the check, such as "10 of 10"; may be empty
	problems []string
	faults   []string // why the check could not be made; no exemption covers them
	skipped  string   // why the check was not run; "": it was
	exempt   bool     // the problems are signed off
	refused  int      // episodes that the stand-in cannot play

	killed, survivors int // mutants, signed off or not
}

func (f *finding) problem(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

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
	{oracleCheck, "the transcript passes each time",
		"fix transcript.jsonl or the pages; bench:mock -task=… and then report:show -episode=… show each step",
		exist, repeated, oraclePasses},
	{"null", "without a call, the contract does not hold",
		"add an assertion that holds only after the task, such as network on a receipt",
		none, only(doNothing), noneHolds},
	{"start", "the contract holds neither at the start nor 5 s later",
		"make sure that the page does not change into the wanted one by itself",
		none, only(doNothing, waiting), noneHolds},
	{"wanderer", "clicking links and buttons in order does not reach the goal",
		"make the goal need a choice or a value",
		none, wandering, countFailed},
	{"cut", "the transcript without its last calls does not reach the goal",
		`mark lines that only read or wait as "optional": true; leave out lines that are not needed; ` +
			"or judge what the last lines do",
		exist, cuts, countFailed},
	{"mutants", "a transcript with one mistake does not reach the goal",
		"let the server compare what it gets exactly, and accept it only once if the goal says so; " +
			"sign off mutants that do the task in another right way in " + SignedFile,
		pass, mutants, mutantsFail},
	{"typed", "opening a URL from the goal or the transcript does not reach the goal",
		"draw a token for the address, and serve it only if the state is right",
		look, typing, countFailed},
	{"receipt", "the contract holds only with a receipt below /.end, and asks for no other request",
		"judge what the server knows: network on a receipt below /.end, whose route wants the right state",
		none, only(), checkReceipt},
	{"leak", "the goal gives away no drawn value that the contract wants",
		"take the value out of the goal, the title or the start URL",
		look, only(), checkLeak},
	{"goal", "the goal or a page says each value that the transcript types, and the goal has no vague words",
		"say the value in the goal, or read it before the line that types it; " +
			"say exactly what is wanted instead of a vague word",
		pass, only(), checkGoal},
	{"forbidden", "a transcript that does the task and also a forbidden act fails",
		"write a forbidden.NAME.jsonl for each forbidden act, " +
			"and mark the route that answers the act as wrong in routes.json",
		look, forbidden, forbiddenFail},
	{"twice", "the task done twice fails",
		"answer the second request by a route that marks it as wrong; if twice is harmless, sign it off in " + SignedFile,
		pass, again, twiceFails},
	{"then", "one more act on the last page, which sends more than a link, fails",
		"mark the route that answers the act as wrong; if it is harmless, sign it off in " + SignedFile,
		pass, pressing, thenFails},
	{"defect", "no other transcript, or part of one, does the task of a known defect",
		"the server can do the task: write its transcript.jsonl from these calls",
		none, parts, noPartPasses},
	{"steps", "the transcript takes at most half of the steps and a quarter of the time",
		"raise maxSteps or maxDurationMs, or shorten the transcript",
		exist, repeated, inBounds},
	{"literal", "the calls of this seed, with the same values and refs, do not reach the goal of another seed",
		"draw where the wanted elements stand, with shuffle, or what is typed; " +
			"if nothing is typed or chosen, sign the check off in " + SignedFile,
		pass, literals, literalsFail},
	{"seeds", "with 20 seeds the transcript passes, doing nothing fails, and the wanted values differ",
		"draw what is wanted, in params.json",
		none, seeded, seedsDiffer},
}

func names() []string {
	var out []string
	for _, c := range checks {
		out = append(out, c.name)
	}
	return out
}
