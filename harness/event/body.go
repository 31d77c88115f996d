package event

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/display"
)

// RunStart opens a log: what is going to be driven, and how.
type RunStart struct {
	SchemaVersion int      `json:"schemaVersion"`
	RunID         string   `json:"runId"`
	Launcher      string   `json:"launcher"`          // standin, local, container, command or url
	Adapter       string   `json:"adapter"`           // the adapter's name
	Web           Web      `json:"web"`               // the web that tasks run on
	Episodes      int      `json:"episodes"`          // how many episodes are planned
	Options       Options  `json:"options"`           // the run's own settings
	Package       *Package `json:"package,omitempty"` // what -package named; nil: nothing
	Host          Host     `json:"host"`              // the machine
	Notes         []string `json:"notes,omitempty"`   // remarks for the reader of the report
}

// Package is the package of the server, as the options of the run named it. The digest of
// its content is in [Subject].
type Package struct {
	Path   string `json:"path"`             // a folder, a packed package, or a version on npm
	Commit string `json:"commit,omitempty"` // the git commit of the folder; empty: it is in no checkout
	Dirty  bool   `json:"dirty,omitempty"`  // the checkout has changes that are not committed
}

// Web is the web that the browser saw. Digest is the content hash of the fixture
// sites, for the hermetic web only.
type Web struct {
	Mode   string `json:"mode"` // hermetic or live
	Digest string `json:"digest,omitempty"`
}

// Options are the run's own settings.
type Options struct {
	Parallel      int `json:"parallel"`
	Repetitions   int `json:"repetitions"`
	MaxSteps      int `json:"maxSteps,omitempty"`      // replaces the tasks' caps; 0: it does not
	MaxDurationMs int `json:"maxDurationMs,omitempty"` // likewise
	// Path is the way that the transcripts took: oracle or shortest. Two runs on
	// different paths are never equal.
	Path string `json:"path,omitempty"`
	// Drift says how drift was treated: [DriftCount] or [DriftStrict]. A log from before
	// there was a choice has none, and means DriftStrict. Two runs with different values
	// are never equal.
	Drift string `json:"drift,omitempty"`
}

// The ways to treat drift.
const (
	DriftCount  = "count"  // it is recorded, and the episode goes on
	DriftStrict = "strict" // it ends the episode as adapter_error
)

// Host is the machine that the harness ran on.
type Host struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"`
}

// Subject is the OpenChrome (or the stand-in) that was driven. Two reports of
// different subjects are never equal.
type Subject struct {
	Launcher  string `json:"launcher"`
	Name      string `json:"name"`               // from initialize
	Version   string `json:"version"`            // from initialize
	Package   string `json:"package,omitempty"`  // digest of the OpenChrome package, where it is known
	Image     string `json:"image,omitempty"`    // image id, with containers
	Chromium  string `json:"chromium,omitempty"` // the browser's own version
	Protocol  string `json:"protocol"`           // MCP version that was agreed on
	Isolation string `json:"isolation"`          // fresh, or best-effort with url
	// Confinement names what confined OpenChrome and its browser, such as
	// "namespaces and Landlock 7". With "none" they could see and write everything
	// that the user can. Only launcher local has it.
	Confinement string `json:"confinement,omitempty"`
	// Facts says how the facts were read: [FactsObserver] or [FactsTools]. An old log
	// without it means FactsTools.
	Facts string `json:"facts"`
}

// The ways to read facts.
const (
	FactsObserver = "observer" // by an observer beside the server
	FactsTools    = "tools"    // through the tools of the server under test
)

// Task is the part of a task that reports need. The contract is in [Stop], since a
// server could read it here.
type Task struct {
	ID                string   `json:"id"`
	Title             string   `json:"title"`
	StartURL          string   `json:"startUrl"`
	Goal              string   `json:"goal,omitempty"`
	Category          string   `json:"category"`
	Tags              []string `json:"tags,omitempty"`
	MaxSteps          int      `json:"maxSteps"`
	MaxDurationMs     int      `json:"maxDurationMs"`
	ExpectedFirstTool string   `json:"expectedFirstTool,omitempty"`
	// Transcript is the digest of the file that the adapter replays; empty if it
	// replays none.
	Transcript string `json:"transcript,omitempty"`
}

// Reset begins an episode: its session is ready, or could not be started.
type Reset struct {
	Task       Task     `json:"task"`
	Repetition int      `json:"repetition"`
	Subject    *Subject `json:"subject,omitempty"`  // nil when the session never came up
	Tools      []string `json:"tools,omitempty"`    // names of the server's tools
	Viewport   string   `json:"viewport,omitempty"` // "800x600", or why it could not be set
	LaunchMs   float64  `json:"launchMs"`
	WaitMs     float64  `json:"waitMs"`          // how long the episode waited for its session
	Error      string   `json:"error,omitempty"` // why there is no session
}

// ToolCall is written before a call is sent.
type ToolCall struct {
	Step int `json:"step"` // 0: the navigation to the start URL
	Call
}

// ToolResult is written when a call has ended, however it ended.
type ToolResult struct {
	Step       int     `json:"step"`
	Tool       string  `json:"tool"`
	DurationMs float64 `json:"durationMs"`
	Result
	Drift *Drift `json:"drift,omitempty"` // nil: the answer is as expected
	Fault
}

// Drift says that an answer differs from what the adapter, such as a transcript, expects.
// It is in the event that holds the answer.
type Drift struct {
	Expected string `json:"expected"`     // in words
	At       string `json:"at,omitempty"` // where that is written, such as transcript.jsonl:3
}

// DriftWords describes the drift of an answer in words; empty if there is none.
func (b *ToolResult) DriftWords() string {
	if b.Drift == nil {
		return ""
	}
	return b.Drift.Words(b.Step, b.Tool, Answered(b.IsError(), b.Text()))
}

// Words describes the drift of a step in words. answer is from [Answered].
func (d *Drift) Words(step int, tool, answer string) string {
	at := cmp.Or(d.At, fmt.Sprintf("step %d", step))
	return fmt.Sprintf("%s: %s: expected %s, got %s", at, tool, d.Expected, answer)
}

// maxAnswered is how many characters of an answer [Answered] repeats.
const maxAnswered = 300

// Answered describes an answer in words: its text, quoted and cut at 300 characters.
func Answered(isError bool, text string) string {
	quoted := display.QuoteTo(text, maxAnswered)
	if isError {
		return "the error " + quoted
	}
	return quoted
}

// Fault says why a call, the adapter's or the harness's own, has no answer. It is
// zero when the call was answered, or when its silence decides nothing.
type Fault struct {
	Cause   Cause  `json:"cause,omitempty"`
	Failure string `json:"failure,omitempty"` // in words
}

// Cause is the kind of a [Fault].
type Cause string

// The causes.
const (
	CauseStopped    Cause = "stopped"    // the run was stopped
	CauseTimeCap    Cause = "time_cap"   // the time cap was hit
	CauseOutage     Cause = "outage"     // what the session runs on failed
	CauseOpenChrome Cause = "openchrome" // OpenChrome died, closed its stream or broke the protocol
)

// Progress is read after a step: the server's own view where it has
// oc_progress_status, else the URL of the page. With an observer, a server that ended
// decides nothing here, so its Failure has no Cause.
type Progress struct {
	Step   int    `json:"step"`
	Status string `json:"status,omitempty"` // progressing, stalling or stuck
	URL    string `json:"url,omitempty"`
	Words  *Words `json:"words,omitempty"` // after a call that reads the whole page; only with an observer
	Fault
}

// Words counts the different words of a page, and how many of them an answer held.
type Words struct {
	Page int `json:"page"`
	Held int `json:"held"`
}

// Facts holds the facts for the contract, as the last judging read them.
type Facts struct {
	FinalURL   string               `json:"finalUrl"`
	Facts      *contract.Facts      `json:"facts,omitempty"` // nil: nothing could be read
	Provenance *contract.Provenance `json:"provenance,omitempty"`
	SessionID  string               `json:"sessionId,omitempty"`
	NowMs      int64                `json:"nowMs"`             // the time of judging, for facts that go stale
	Missing    string               `json:"missing,omitempty"` // why facts are missing
	NoPage     string               `json:"noPage,omitempty"`  // why there was no page to read them from
	Dialogs    []Dialog             `json:"dialogs,omitempty"` // of the tab, in the whole episode; only the observer sees them
	WaitMs     float64              `json:"waitMs"`            // from the first judging to the end of the last
	Judgings   int                  `json:"judgings"`          // how often the page was read and judged
	Fault
}

// Dialog is a JavaScript dialog that a page opened.
type Dialog struct {
	Kind    string `json:"kind"` // alert, confirm, prompt or beforeunload
	Message string `json:"message"`
	Open    bool   `json:"open,omitempty"` // it was open while facts were read
}

// ContractEval holds the judgement.
type ContractEval struct {
	Judgement contract.Judgement `json:"judgement"`
	// Upstream is the verdict of the server's own oc_assert on the same facts,
	// where it has the tool.
	Upstream *contract.Judgement `json:"upstream,omitempty"`
	// UpstreamMissing says why the server, although it has oc_assert, gave no
	// verdict to compare.
	UpstreamMissing string `json:"upstreamMissing,omitempty"`
	// Disagreement says how the two differ; it makes the episode inconclusive.
	Disagreement string `json:"disagreement,omitempty"`
	// Server holds the facts that the server read itself, beside the observer's. It
	// is nil without an observer, and if the server has no tool for a fact of the
	// contract.
	Server *ServerFacts `json:"server,omitempty"`
	Fault
}

// ServerFacts are facts that the server under test read itself, where an observer read
// them too. They decide nothing: the server would report on itself. A report shows if
// they give another verdict.
type ServerFacts struct {
	// Facts holds performance, console and screenshot only. Unavailable names the
	// facts that the server did not give, with the reason.
	Facts *contract.Facts `json:"facts"`
	// Verdict is the verdict of the contract with these facts instead of the
	// observer's. It is inconclusive if the server gave none that decides.
	Verdict contract.Verdict `json:"verdict"`
}

// Differ describes how the verdict on the server's own facts differs. It is empty if the
// two agree or the server's facts give no verdict.
func (e *ContractEval) Differ() string {
	if e.Server == nil || e.Server.Verdict == contract.Inconclusive || e.Server.Verdict == e.Judgement.Verdict {
		return ""
	}
	return fmt.Sprintf("judged on the observer's facts: %s; on the server's own facts: %s", e.Judgement.Verdict, e.Server.Verdict)
}

// Disagree describes how the server's verdict differs. It is empty when the two
// agree or the server gave none.
func (e *ContractEval) Disagree() string {
	if e.Upstream == nil || e.Upstream.Verdict == e.Judgement.Verdict {
		return ""
	}
	return fmt.Sprintf("the judges disagree: here %s, OpenChrome's oc_assert %s", e.Judgement.Verdict, e.Upstream.Verdict)
}

// Stop ends an episode. Status and Reason follow from the episode's events and
// from the stop's other fields: see [Causes].
type Stop struct {
	Status     Status  `json:"status"`
	Reason     string  `json:"reason,omitempty"` // in words, for every status but passed
	End        End     `json:"end"`
	Error      string  `json:"error,omitempty"`  // of the adapter, or why the server cannot do the task
	Outage     string  `json:"outage,omitempty"` // what failed that the episode ran on; looked for only before a failure counts
	Steps      int     `json:"steps"`
	DurationMs float64 `json:"durationMs"`
	// ServerEnded says how the server ended after its last answer, with no call
	// pending. The page was judged all the same.
	ServerEnded string `json:"serverEnded,omitempty"`
	// Page is the folder with page.json and page.png, which show the page after the
	// verdict. It is relative to the folder of the run, with slashes; "" if nothing
	// was kept. PageMissing says why it could not be written.
	Page        string `json:"page,omitempty"`
	PageMissing string `json:"pageMissing,omitempty"`
	// ServerMemory is the resident memory of the server and of all that it started, at
	// the end, in bytes; 0 where it cannot be known.
	ServerMemory int64 `json:"serverMemory,omitempty"`
	// Success is the task's contract, also when nothing was judged. The log does
	// not hold it while the episode runs.
	Success json.RawMessage `json:"success"`
	// TaskFile is the path of the task file that holds the contract, as the run was given
	// it. Like the contract, it is not in the log while the episode runs.
	TaskFile string `json:"taskFile,omitempty"`
}

// End says what ended the steps of an episode.
type End string

// The ends.
const (
	EndNoSession End = "no_session"    // there was no session to make a step on
	EndStopped   End = "stopped"       // the run was stopped
	EndNoAnswer  End = "no_answer"     // a call had no answer; the last events say why
	EndTimeCap   End = "time_cap"      // the time cap was hit
	EndStepCap   End = "step_cap"      // the step cap was hit
	EndAdapter   End = "adapter_error" // the adapter failed
	EndDone      End = "done"          // the adapter was done
	// EndUnsupported: the adapter said that the server cannot do the task
	EndUnsupported End = "unsupported"
)

// RunEnd closes a log. A log without it is of a run that was killed or still runs.
type RunEnd struct {
	Interrupted bool    `json:"interrupted,omitempty"` // stopped before every episode had come to its end
	DurationMs  float64 `json:"durationMs"`
	Finished    int     `json:"finished"` // episodes that have a stop
}

// Type implements [Body]; so do the methods below.
func (*RunStart) Type() Type     { return TypeRunStart }
func (*Reset) Type() Type        { return TypeReset }
func (*ToolCall) Type() Type     { return TypeToolCall }
func (*ToolResult) Type() Type   { return TypeToolResult }
func (*Progress) Type() Type     { return TypeProgress }
func (*Facts) Type() Type        { return TypeFacts }
func (*ContractEval) Type() Type { return TypeContractEval }
func (*Stop) Type() Type         { return TypeStop }
func (*RunEnd) Type() Type       { return TypeRunEnd }
