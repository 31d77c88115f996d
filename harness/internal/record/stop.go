package record

import (
	"encoding/json"

	"github.com/openchrome/bench/harness/adapter"
)

// Agent is written when the agent of an episode has ended, if its adapter is one.
type Agent struct {
	adapter.Agent
	Log string `json:"log,omitempty"` // the file with what it printed, as Page in [Stop]
}

// Stop ends an episode. Status, Cause and Reason follow from the episode's events and
// from the stop's other fields: see [Causes].
type Stop struct {
	Status     Status  `json:"status"`
	Cause      Cause   `json:"cause,omitempty"`  // what decided the status; empty if it is passed
	Reason     string  `json:"reason,omitempty"` // the cause in words
	End        End     `json:"end"`
	Error      string  `json:"error,omitempty"`  // the adapter's error, why it gave up, or why the server cannot do the task
	Outage     string  `json:"outage,omitempty"` // the failure of the environment; checked only before a failure counts
	Steps      int     `json:"steps"`
	DurationMs float64 `json:"durationMs"`
	// Looked is for how many targets the adapter looked in answers, and Found how many of them one named.
	Looked int `json:"looked,omitempty"`
	Found  int `json:"found,omitempty"`
	// ServerEnded says how the server ended after its last answer, with no call pending.
	// The page was judged nevertheless.
	ServerEnded string `json:"serverEnded,omitempty"`
	// Page is the folder with page.json and page.png, which show the page after the
	// verdict. It is relative to the folder of the run, with slashes; "" if nothing was
	// saved. PageMissing says why the folder could not be written.
	Page        string `json:"page,omitempty"`
	PageMissing string `json:"pageMissing,omitempty"`
	// ServerMemory is the resident memory of the server and of all processes that it
	// started, at the end, in bytes; 0 if it is unknown.
	ServerMemory int64 `json:"serverMemory,omitempty"`
	// Ended is how the text of that page begins.
	Ended string `json:"ended,omitempty"`
	// Requests are the requests that the fixture web got, in the order of its answers. Missed
	// says why its receipts were missed.
	Requests []Request `json:"requests,omitempty"`
	Missed   []Missed  `json:"missed,omitempty"`
	// Success is the task's contract, even if nothing was judged. It is not in the log
	// while the episode runs.
	Success json.RawMessage `json:"success"`
	// TaskFile is the path of the task file that holds the contract, as the run was given
	// it. Like the contract, it is not in the log while the episode runs.
	TaskFile string `json:"taskFile,omitempty"`
}

// KnownDefect reports whether the transcript of the task says nothing but that the server
// cannot do it. The episode counts as failed, but alone it does not change the exit code.
// Nothing else is a known defect.
func (s *Stop) KnownDefect(t Task) bool {
	return s.Status == Failed && s.End == EndUnsupported && s.Steps == 0 && t.Transcript != ""
}

// End says why the steps of an episode ended.
type End string

// The ends.
const (
	EndNoSession     End = "no_session"    // there was no session
	EndStopped       End = "stopped"       // the run was stopped
	EndNoAnswer      End = "no_answer"     // a call had no answer; the last events say why
	EndTimeCap       End = "time_cap"      // the time cap was hit
	EndStepCap       End = "step_cap"      // the step cap was hit
	EndAdapter       End = "adapter_error" // the adapter failed
	EndChangedAnswer End = "drift"         // an answer changed: -drift=strict, or the adapter has no next call
	EndDone          End = "done"          // the adapter was done
	// EndUnsupported: the transcript says that the server cannot do the task
	EndUnsupported End = "unsupported"
	EndGaveUp      End = "gave_up" // an adapter without a transcript said so
	// EndNoTool: the server's profile has no tool for an intent
	EndNoTool End = "not_possible"
)
