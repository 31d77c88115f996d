package report

import (
	"fmt"
	"math"

	"github.com/openchrome/bench/harness/event"
)

// Totals counts a report's episodes.
type Totals struct {
	Planned     int         `json:"planned"`  // episodes that the run set out to do
	Finished    int         `json:"finished"` // episodes that ended, however
	Passed      int         `json:"passed"`
	Failed      int         `json:"failed"`
	Void        int         `json:"void"`                  // count neither for nor against OpenChrome
	Interrupted int         `json:"interrupted,omitempty"` // of the void ones: in the middle when the run was stopped
	CutOff      int         `json:"cutOff,omitempty"`      // began and have no end: the run was killed, or it is still running
	SuccessRate SuccessRate `json:"successRate"`           // over planned episodes
	Recovered   int         `json:"recovered"`             // passed after at least one error answer
	Steps       int         `json:"steps"`
	ToolCalls   int         `json:"toolCalls"`
	Errors      int         `json:"openchromeErrors"`
	Drifts      int         `json:"drifts"`
	DurationMs  float64     `json:"durationMs"` // sum over episodes
}

// SuccessRate is the share of the planned episodes that passed, as a range: Low
// counts each void or unfinished episode as failed, High counts it as passed. Both
// are 0 when nothing was planned.
type SuccessRate struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func total(planned, cutOff int, episodes []Episode) Totals {
	t := Totals{Planned: planned, Finished: len(episodes), CutOff: cutOff}
	for i := range episodes {
		e := &episodes[i]
		switch e.Status.Class() {
		case event.Pass:
			t.Passed++
		case event.Fail:
			t.Failed++
		case event.Void:
			t.Void++
		}
		if e.Status == event.Interrupted {
			t.Interrupted++
		}
		if e.Recovered {
			t.Recovered++
		}
		t.Steps += e.Steps
		t.ToolCalls += e.ToolCalls
		t.Errors += e.OpenchromeErrors
		t.Drifts += len(e.Drifts)
		t.DurationMs += e.DurationMs
	}
	if all := max(t.Planned, t.Finished); all > 0 {
		t.SuccessRate.Low = float64(t.Passed) / float64(all)
		t.SuccessRate.High = float64(all-t.Failed) / float64(all)
	}
	return t
}

// Complete reports whether every planned episode ended, and none was interrupted.
func (t Totals) Complete() bool { return t.Finished == t.Planned && t.Interrupted == 0 }

// Verdict describes in words how a run ended.
func (t Totals) Verdict() string {
	counts := fmt.Sprintf("%d passed, %d failed, %d void of %d", t.Passed, t.Failed, t.Void, t.Planned)
	switch {
	case !t.Complete():
		counts += fmt.Sprintf(", %d interrupted", t.Interrupted)
		if t.CutOff > 0 {
			counts += fmt.Sprintf(", %d cut off", t.CutOff)
		}
		return fmt.Sprintf("NOT FINISHED: %s, %d not run", counts, t.Planned-t.Finished-t.CutOff)
	case t.Failed > 0:
		return "FAILED: " + counts
	case t.Void > 0:
		return "VOID: " + counts
	}
	return "PASSED: " + counts
}

// Rate returns the success rate in words: a range where episodes are void or
// unfinished, unknown where all are void. Rounding never makes it 0 % or 100 %, or
// makes one number of a range.
func (t Totals) Rate() string {
	if t.Finished == 0 {
		return "none"
	}
	switch {
	case t.Void == 1 && t.Finished == 1:
		return "unknown: the only episode is void"
	case t.Void == t.Finished:
		return fmt.Sprintf("unknown: all %d episodes are void", t.Void)
	}
	const tiny = 1e-9 // 0.57 times 1000 is less than 570
	low, high := 1000*t.SuccessRate.Low, 1000*t.SuccessRate.High
	if low == high {
		rate := math.Round(low)
		if low > 0 && low < 1000 {
			rate = min(max(rate, 1), 999)
		}
		return fmt.Sprintf("%.1f%%", rate/10)
	}
	return fmt.Sprintf("%.1f%% to %.1f%%", math.Floor(low+tiny)/10, math.Ceil(high-tiny)/10)
}
