package stored

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// maxFactValues is how many values of JSON the facts can have.
const maxFactValues = 256 << 10

// Judge judges the contract of a task on facts from the file o.Facts: what OpenChrome's oc_assert takes,
// what its tools answer, or a facts event of a log. It prints the judgement as JSON, with the
// contract explained, or every fault of the file. The error is nil if the contract holds.
// Otherwise it is a [*program.ExitError]: [program.ExitFailed], [program.ExitVoid] if the
// judgement is inconclusive, or [program.ExitUsage] if a file is not valid.
func Judge(_ context.Context, o run.Options) error {
	o.Values = o.Values.WithDefaults()
	spec, err := run.One(o)
	if err != nil {
		return err
	}
	facts, err := regular.Read(o.Facts, eventlog.MaxLine)
	if err != nil {
		return program.Usage(fmt.Errorf("-facts: %w", err))
	}
	if jsonfile.Values(facts) > maxFactValues {
		return program.Usage(fmt.Errorf("%s: it has more than %d values", o.Facts, maxFactValues))
	}
	in, faults := readFacts(o.Facts, facts)
	if len(faults) > 0 {
		fmt.Fprintln(o.Stderr, faults)
		return program.Usage(fmt.Errorf("%s in the facts: nothing was judged", display.Count(len(faults), "fault")))
	}
	c := spec.Success
	j := judge.Judge(c, in)
	shown, err := record.Marshal(struct {
		judge.Judgement
		Explanation judge.Node `json:"explanation"`
	}{j, judge.Explain(c, in, j)})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(o.Stdout, "%s\n", display.Indent(shown, "")); err != nil {
		return err
	}
	with := ""
	if len(spec.Values) > 0 {
		with = fmt.Sprintf(", with the values of seed %d", o.Seed)
	}
	switch j.Verdict {
	case judge.Pass:
		fmt.Fprintf(o.Stdout, "PASS: the contract holds%s\n", with)
		return nil
	case judge.Fail:
		return &program.ExitError{Code: program.ExitFailed, Err: fmt.Errorf("FAIL: the contract does not hold%s", with)}
	}
	return &program.ExitError{Code: program.ExitVoid, Err: fmt.Errorf("INCONCLUSIVE: %s", display.Visible(j.InconclusiveReason))}
}

func judgedOn(f *record.Facts) judge.Input {
	in := report.Input(f)
	in.ClassesDir = facts.ClassesDir()
	return in
}

// judgeAgain judges every episode again from its logged facts and derives its status again
// from its events. It prints each difference from the log.
func judgeAgain(ctx context.Context, o option.Values) error {
	type open struct {
		facts  *record.Facts
		eval   *record.ContractEval // nil: nothing was judged
		causes record.Causes
	}
	episodes := map[string]*open{}
	judged, differ := 0, 0
	_, err := eventlog.ReadFile(ctx, eventsFile(o.Out, o.RunID), func(e record.Event) error {
		if e.Episode == "" {
			return nil
		}
		ep := episodes[e.Episode]
		switch b := e.Body.(type) {
		case *record.Reset:
			ep = new(open)
			episodes[e.Episode] = ep
		case *record.Facts:
			ep.facts = b
		case *record.ContractEval:
			ep.eval = b
			return nil // the episode is judged at its stop event
		case *record.Stop:
			judged++
			same := true
			if ep.eval != nil {
				c, faults := judge.Parse(b.Success)
				if len(faults) > 0 {
					return fmt.Errorf("%s: contract: %s: %s", e.Episode, faults[0].Path, faults[0].Message)
				}
				again := *ep.eval
				again.Judgement = judge.Judge(c.Live(), judgedOn(ep.facts))
				ep.causes.Add(&again)
				if diff := judgementDiff(ep.eval.Judgement, again.Judgement); diff != "" {
					same = false
					fmt.Fprintf(o.Stdout, "%s: logged %s, now judged %s\n%s", e.Episode, ep.eval.Judgement.Verdict, again.Judgement.Verdict, diff)
				}
			}
			ep.causes.Add(b)
			if rule, _ := ep.causes.Rule(); rule.Status != b.Status {
				same = false
				fmt.Fprintf(o.Stdout, "%s: logged status %s, now decided %s by the rule: %s\n", e.Episode, display.Visible(string(b.Status)), rule.Status, rule.When)
			}
			if !same {
				differ++
			}
			return nil
		}
		ep.causes.Add(e.Body)
		return nil
	})
	if err != nil {
		return err
	}
	if judged == 0 {
		return program.Usage(errors.New("no episode of the run has finished: nothing was judged again"))
	}
	if differ > 0 {
		return &program.ExitError{Code: program.ExitDifference, Err: fmt.Errorf("DIFFERENT: %d of %s", differ, display.Count(judged, "episode"))}
	}
	fmt.Fprintf(o.Stdout, "IDENTICAL: %s judged again\n", display.Count(judged, "episode"))
	return nil
}

// judgementDiff compares judgements as JSON, because a log holds JSON. It returns a line for
// each field that differs.
func judgementDiff(a, b judge.Judgement) string {
	var raw [2][]byte
	for i, j := range []judge.Judgement{a, b} {
		var err error
		if raw[i], err = json.Marshal(j); err != nil {
			return err.Error() + "\n"
		}
	}
	var lines strings.Builder
	for d := range compare.Differences(raw[0], raw[1]) {
		fmt.Fprintf(&lines, "  %s: %s and %s\n", display.Visible(d.Field), display.Visible(d.A), display.Visible(d.B))
	}
	return lines.String()
}
