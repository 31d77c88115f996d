package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Totals counts a report's episodes.
type Totals struct {
	Planned  int `json:"planned"`  // episodes that the run set out to do
	Finished int `json:"finished"` // episodes that ended, however
	Counts
	// Families has the counts of each family of tasks, see [record.Family].
	Families       []FamilyTotals `json:"families"`
	Interrupted    int            `json:"interrupted,omitempty"` // of the void ones: in the middle when the run was stopped
	CutOff         int            `json:"cutOff,omitempty"`      // began and have no end: the run was killed, or it is still running
	Lost           int            `json:"lost,omitempty"`        // have no result, although the run ended and was not stopped
	SuccessRate    SuccessRate    `json:"successRate"`           // over planned episodes
	Recovered      int            `json:"recovered"`             // passed after at least one error answer
	Steps          int            `json:"steps"`
	ToolCalls      int            `json:"toolCalls"`
	Errors         int            `json:"openchromeErrors"`
	ChangedAnswers int            `json:"drifts"`
	DurationMs     float64        `json:"durationMs"` // sum over episodes
}

// Counts counts episodes that ended.
type Counts struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	Void   int `json:"void"` // count neither for nor against OpenChrome
	// KnownDefects are the failed episodes whose transcript says that the server cannot do
	// the task, see [record.Stop.KnownDefect].
	KnownDefects int `json:"knownDefects"`
	// WrongSideEffects are the failed episodes in which a forbidden effect happened, see [record.ContractEval].
	WrongSideEffects int `json:"harm,omitempty"`
}

func (c *Counts) add(e *Episode) {
	switch e.Status.Class() {
	case record.Pass:
		c.Passed++
	case record.Fail:
		c.Failed++
	case record.Void:
		c.Void++
	}
	if e.KnownDefect {
		c.KnownDefects++
	}
	if len(e.WrongSideEffects) > 0 && e.Status.Class() == record.Fail {
		c.WrongSideEffects++
	}
}

// FamilyTotals counts the episodes of a family of tasks.
type FamilyTotals struct {
	Family string `json:"family"`
	Counts
}

// SuccessRate is the share of the planned episodes that passed, as a range: Low
// counts each void or unfinished episode as failed, High counts it as passed. Both
// are 0 when nothing was planned.
type SuccessRate struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func total(planned, begun int, episodes Episodes) Totals {
	t := Totals{Planned: planned, Finished: episodes.Len(), CutOff: begun - episodes.Len(), Families: []FamilyTotals{}}
	for _, e := range episodes.All() {
		t.add(e)
		t.family(record.Family(e.Tags, e.Category)).add(e)
		if e.Status == record.Interrupted {
			t.Interrupted++
		}
		if e.Recovered {
			t.Recovered++
		}
		t.Steps += e.Steps
		t.ToolCalls += e.ToolCalls
		t.Errors += e.OpenchromeErrors
		t.ChangedAnswers += len(e.ChangedAnswers)
		t.DurationMs += e.DurationMs
	}
	slices.SortFunc(t.Families, func(a, b FamilyTotals) int {
		return cmp.Or(cmp.Compare(record.FamilyRank(a.Family), record.FamilyRank(b.Family)), strings.Compare(a.Family, b.Family))
	})
	if all := max(t.Planned, t.Finished); all > 0 {
		t.SuccessRate.Low = float64(t.Passed) / float64(all)
		t.SuccessRate.High = float64(all-t.Failed) / float64(all)
	}
	return t
}

// family returns the counts of a family. They are valid until the next call.
func (t *Totals) family(name string) *FamilyTotals {
	i := slices.IndexFunc(t.Families, func(f FamilyTotals) bool { return f.Family == name })
	if i < 0 {
		i, t.Families = len(t.Families), append(t.Families, FamilyTotals{Family: name})
	}
	return &t.Families[i]
}

// Unexpected is how many episodes failed and are no known defect.
func (t Totals) Unexpected() int { return t.Failed - t.KnownDefects }

// Complete reports whether every planned episode ended, and none was interrupted.
func (t Totals) Complete() bool { return t.Finished == t.Planned && t.Interrupted == 0 }

// Verdict describes in words how a run ended, such as "PASSED: 3 passed, 0 failed, 0 void of 3".
func (t Totals) Verdict() string {
	word, counts := t.Outcome()
	return word + ": " + counts
}

// Outcome returns the two parts of [Totals.Verdict]: its word, and the counts.
func (t Totals) Outcome() (word, counts string) {
	counts = fmt.Sprintf("%d passed, %s, %d void of %d", t.Passed, t.FailedWords(), t.Void, t.Planned)
	if t.KnownDefects > 0 && t.Unexpected() == 0 && t.Void == 0 {
		counts = fmt.Sprintf("%d passed, %s of %d", t.Passed, display.Count(t.KnownDefects, "known defect"), t.Planned)
	}
	switch {
	case t.Lost > 0:
		return "LOST", fmt.Sprintf("%s without a result; %s", display.Count(t.Lost, "episode"), counts)
	case !t.Complete():
		counts += fmt.Sprintf(", %d interrupted", t.Interrupted)
		if t.CutOff > 0 {
			counts += fmt.Sprintf(", %d cut off", t.CutOff)
		}
		return "NOT FINISHED", fmt.Sprintf("%s, %d not run", counts, t.Planned-t.Finished-t.CutOff)
	case t.Unexpected() > 0:
		return "FAILED", counts
	case t.Void > 0:
		return "VOID", counts
	case t.KnownDefects > 0 && t.Passed == 0:
		return "KNOWN DEFECTS", counts
	case t.Passed == 0:
		return "NOTHING RUN", counts
	}
	return "PASSED", counts
}

// FailedWords says how many episodes failed, how many of them are known defects, and how many
// had a wrong side effect.
func (t Totals) FailedWords() string {
	words := fmt.Sprintf("%d failed", t.Failed)
	var of []string
	if t.KnownDefects > 0 {
		of = append(of, display.Count(t.KnownDefects, "known defect"))
	}
	if t.WrongSideEffects > 0 {
		of = append(of, fmt.Sprintf("%d had a wrong side effect", t.WrongSideEffects))
	}
	if len(of) > 0 {
		words += " (" + strings.Join(of, ", ") + ")"
	}
	return words
}

// Rate returns the success rate in words: a range where episodes are void, unknown where all are, or where
// the run did not finish. Rounding never makes it 0 % or 100 %. A range stays a range, even if its ends
// round to the same number.
func (t Totals) Rate() string {
	switch {
	case !t.Complete():
		return "unknown: the run did not finish"
	case t.Finished == 0:
		return "none"
	case t.Void == 1 && t.Finished == 1:
		return "unknown: the only episode is void"
	case t.Void == t.Finished:
		return fmt.Sprintf("unknown: all %d episodes are void", t.Void)
	}
	const tiny = 1e-9 // 0.57 times 1000 is less than 570
	low, high := t.SuccessRate.Low, t.SuccessRate.High
	if low == high {
		return fmt.Sprintf("%.1f%%", display.Percent(math.Round(1000*low)/10, low))
	}
	return fmt.Sprintf("%.1f%% to %.1f%%", display.Percent(math.Floor(1000*low+tiny)/10, low), display.Percent(math.Ceil(1000*high-tiny)/10, high))
}
