package report

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
)

// SchemaVersion is the version of the report's format; reports/README.md and
// reports/report.schema.json describe it.
const SchemaVersion = 1

// Report is what a run did. Its JSON is reports/<run-id>.json.
type Report struct {
	SchemaVersion int            `json:"schemaVersion"`
	RunID         string         `json:"runId"`
	Subject       *event.Subject `json:"subject"` // null when no session ever came up
	Adapter       string         `json:"adapter"`
	Web           event.Web      `json:"web"`
	Notes         []string       `json:"notes,omitempty"` // what a reader must know, in words
	Host          event.Host     `json:"host"`
	Digest        string         `json:"digest"` // of the canonical report
	Totals        Totals         `json:"totals"`
	Episodes      []Episode      `json:"episodes"` // by task, then repetition
}

// Totals counts a report's episodes.
type Totals struct {
	Planned     int         `json:"planned"`  // episodes that the run set out to do
	Finished    int         `json:"finished"` // episodes that ended, however
	Passed      int         `json:"passed"`
	Failed      int         `json:"failed"`
	Void        int         `json:"void"`        // count neither for nor against OpenChrome
	SuccessRate SuccessRate `json:"successRate"` // over finished episodes
	Recovered   int         `json:"recovered"`   // passed after at least one error answer
	Steps       int         `json:"steps"`
	ToolCalls   int         `json:"toolCalls"`
	Errors      int         `json:"openchromeErrors"`
	DurationMs  float64     `json:"durationMs"` // sum over episodes
}

// SuccessRate is the share of passed episodes as a range: had all void ones
// failed, had all passed. Both are 0 when nothing finished.
type SuccessRate struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Episode is the result of one episode. Names and places are those of upstream's
// EpisodeResult where it has them.
type Episode struct {
	Name               string                   `json:"episode"` // <task-id>#<repetition>
	RunID              string                   `json:"runId"`
	TaskID             string                   `json:"taskId"`
	Title              string                   `json:"title"`
	Repetition         int                      `json:"repetition"`
	Category           string                   `json:"category"`
	Tags               []string                 `json:"tags,omitempty"`
	Status             event.Status             `json:"status"`
	Success            bool                     `json:"success"`
	Reason             string                   `json:"reason,omitempty"`
	Steps              int                      `json:"steps"`
	MaxSteps           int                      `json:"maxSteps"`
	MaxDurationMs      int                      `json:"maxDurationMs"`
	DurationMs         float64                  `json:"durationMs"`
	ToolCalls          int                      `json:"toolCalls"`
	OpenchromeErrors   int                      `json:"openchromeErrors"`
	NoProgressEpisodes int                      `json:"noProgressEpisodes"`
	Recovered          bool                     `json:"recovered"`
	Hints              []HintCount              `json:"hints,omitempty"`
	FirstTool          *FirstTool               `json:"firstToolSelection,omitempty"`
	FinalURL           string                   `json:"finalUrl"`
	LastToolCall       *event.Call              `json:"lastToolCall,omitempty"`
	FailedContract     *contract.FailedContract `json:"failedContract,omitempty"`
	Explanation        *contract.Node           `json:"explanation,omitempty"` // for every verdict but pass
	Evidence           json.RawMessage          `json:"evidence,omitempty"`
	Drift              *event.Drift             `json:"drift,omitempty"`
	Digest             string                   `json:"digest"` // of the episode's canonical events
	Artifacts          Artifacts                `json:"artifacts"`
}

// HintCount says how often a rule of OpenChrome's hint engine spoke, and the
// severity of its last word.
type HintCount struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Count    int    `json:"count"`
}

// FirstTool compares the adapter's first call with the task's
// expectedFirstTool; it is there when the task has one.
type FirstTool struct {
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	Correct  bool   `json:"correct"`
}

// Artifacts are paths relative to the folder that the run wrote to.
type Artifacts struct {
	EventsJSONL string `json:"eventsJsonl"`
	ReportJSON  string `json:"reportJson"`
	ReportMD    string `json:"reportMd"`
}

func total(planned int, episodes []Episode) Totals {
	t := Totals{Planned: planned, Finished: len(episodes)}
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
		if e.Recovered {
			t.Recovered++
		}
		t.Steps += e.Steps
		t.ToolCalls += e.ToolCalls
		t.Errors += e.OpenchromeErrors
		t.DurationMs += e.DurationMs
	}
	if t.Finished > 0 {
		t.SuccessRate.Low = float64(t.Passed) / float64(t.Finished)
		t.SuccessRate.High = float64(t.Passed+t.Void) / float64(t.Finished)
	}
	return t
}

func sortEpisodes(episodes []Episode) {
	slices.SortFunc(episodes, func(a, b Episode) int {
		return cmp.Or(cmp.Compare(a.TaskID, b.TaskID), cmp.Compare(a.Repetition, b.Repetition))
	})
}
