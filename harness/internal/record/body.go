package record

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/phash"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// RunStart opens a log. It is the plan of the run: which episodes, on which server, and how.
type RunStart struct {
	SchemaVersion int       `json:"schemaVersion"`
	RunID         string    `json:"runId"`
	Launcher      string    `json:"launcher"`            // standin, local, container, command or url
	Adapter       string    `json:"adapter"`             // the adapter's name
	Web           Web       `json:"web"`                 // the web that tasks run on
	Episodes      int       `json:"episodes"`            // how many episodes are planned, in this log
	Plan          []Planned `json:"plan,omitempty"`      // the tasks, in order
	Shard         string    `json:"shard,omitempty"`     // the share of the plan that this log has, see [Shard]; empty: all
	Merged        []string  `json:"merged,omitempty"`    // the runs that report:merge joined to this one
	Parity        Parity    `json:"parity,omitzero"`     // the call of bench:parity that the run is a side of
	Options       Options   `json:"options"`             // the run's own settings
	CoreTasks     int       `json:"coreTasks,omitempty"` // with a profile: how many tasks of the core suite have intents
	Profile       *Profile  `json:"profile,omitempty"`   // the description that policies or -profile use; nil: the built-in one
	// Described names the description of the server, by which the log is read: the built-in one of this
	// name, unless Description is the run's own.
	Described     string          `json:"described,omitempty"`
	Description   json.RawMessage `json:"description,omitempty"`
	Package       *Package        `json:"package,omitempty"`       // what -package named; nil: nothing
	PackageDigest string          `json:"packageDigest,omitempty"` // as in [Server]; empty: the launcher does not know it
	Agent         *PlannedAgent   `json:"agent,omitempty"`         // nil: the adapter is no agent
	Host          Host            `json:"host"`                    // the machine
	Harness       Harness         `json:"harness,omitzero"`        // the build of this program
	Notes         []string        `json:"notes,omitempty"`         // remarks for the reader of the report
}

// RunResume says that a run goes on that was killed or stopped, with -resume. Episodes that
// are not done follow, each with its next attempt.
type RunResume struct {
	Dropped int     `json:"dropped,omitempty"` // bytes of an incomplete last line, which were removed
	Host    Host    `json:"host"`              // the machine, from here on
	Harness Harness `json:"harness,omitzero"`  // the build of this program, from here on
}

// Profile is the description of the server, which says by which calls a policy does something. Runs
// of policies with different descriptions of one server are never compared.
type Profile struct {
	Server   string `json:"server"`   // as the description says, such as openchrome
	Digest   string `json:"digest"`   // "sha256:" and 64 hex digits over its file
	Reviewer string `json:"reviewer"` // who reviewed it, or "not reviewed"
}

// String says whose description it is.
func (p *Profile) String() string {
	text := p.Server + ", not reviewed"
	if p.Reviewer != NotReviewed {
		text = p.Server + ", reviewed by " + p.Reviewer
	}
	return text
}

// NotReviewed is the reviewer of a profile that nobody reviewed.
const NotReviewed = "not reviewed"

// Package is the package of the server, as the options of the run named it. The digest of
// its content is in [Server].
type Package struct {
	Path     string `json:"path"`               // a folder, a packed package, or a version on npm
	Version  string `json:"version,omitempty"`  // in the package.json of the folder
	Commit   string `json:"commit,omitempty"`   // the git commit of the folder; empty: none is known
	Describe string `json:"describe,omitempty"` // what git describe says of it
	Date     string `json:"date,omitempty"`     // of the commit, as RFC 3339 writes it
	Dirty    bool   `json:"dirty,omitempty"`    // the checkout has changes that are not committed
}

// Committed is the date of the commit; zero if it is not known.
func (p *Package) Committed() time.Time {
	t, _ := time.Parse(time.RFC3339, p.Date)
	return t
}

// Web is the web that the browser saw.
type Web struct {
	Mode   string `json:"mode"`             // hermetic or live
	Digest string `json:"digest,omitempty"` // of all fixture hosts
	// Hosts are digests of the fixture hosts, by name: 16 hex digits over the files of each. Older logs have none.
	Hosts map[string]string `json:"hosts,omitempty"`
}

// Options are the run's own settings.
type Options struct {
	Parallel      int `json:"parallel"`
	Repetitions   int `json:"repetitions"`
	MaxSteps      int `json:"maxSteps,omitempty"`      // replaces the tasks' step caps; 0: does not
	MaxDurationMs int `json:"maxDurationMs,omitempty"` // replaces the tasks' time caps; 0: does not
	// Seed is the seed of the tasks' values. Two runs with different seeds are
	// never equal.
	Seed int `json:"seed,omitempty"`
	// Drift says how drift was treated: [DriftCount] or [DriftStrict]. Two runs with different
	// values are never equal.
	Drift string `json:"drift,omitempty"`
	// Retries is how often a void episode runs again.
	Retries int `json:"retries,omitempty"`
	// AgentEnv, AgentRead and AgentPorts are what an agent may use: names of variables, files and
	// folders, and TCP ports, separated by commas. Their values are nowhere.
	AgentEnv   string `json:"agentEnv,omitempty"`
	AgentRead  string `json:"agentRead,omitempty"`
	AgentPorts string `json:"agentPorts,omitempty"`
	// Tasks and Sites are the folders that -tasks and -sites named; empty: none.
	Tasks string `json:"tasks,omitempty"`
	Sites string `json:"sites,omitempty"`
	// Profile is the file that -profile named; empty: none.
	Profile string `json:"profile,omitempty"`
}

// The values of Drift.
const (
	DriftCount  = "count"  // it is recorded, and the episode goes on
	DriftStrict = "strict" // it ends the episode
)

// Host is the machine that the harness ran on.
type Host struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"`
	// Load is how many tasks ran or waited for a CPU in the minute before the run. It is 0 if that is unknown, as
	// on all systems but Linux.
	Load float64 `json:"load,omitempty"`
}

// Server is the server that was driven, such as an OpenChrome. Two reports of
// different servers are never equal.
type Server struct {
	Launcher  string `json:"launcher"`
	Name      string `json:"name"`               // from initialize
	Version   string `json:"version"`            // from initialize
	Package   string `json:"package,omitempty"`  // digest of the server's package; "" if unknown
	Image     string `json:"image,omitempty"`    // id of the container image; "" without containers
	Chromium  string `json:"chromium,omitempty"` // the browser's own version
	Protocol  string `json:"protocol"`           // MCP version that was agreed on
	Isolation string `json:"isolation"`          // fresh, or best-effort with url
	// Confinement says what confined OpenChrome and its browser, such as "namespaces, a
	// network of its own, Landlock 7 and seccomp". With "none" they could see and write
	// everything that the user can. Only the launcher local sets it.
	Confinement string `json:"confinement,omitempty"`
	// Facts says how the facts were read: [FactsObserver] or [FactsTools].
	Facts string `json:"facts"`
}

// The values of Facts in [Server].
const (
	FactsObserver = "observer" // by an observer, directly from the browser
	FactsTools    = "tools"    // through the tools of the server
)

// Task is the part of a task that reports need. The contract is in [Stop], since a
// server could read it here.
type Task struct {
	ID string `json:"id"`
	Under
	Title         string   `json:"title"`
	StartURL      string   `json:"startUrl"`
	Goal          string   `json:"goal,omitempty"`
	Category      string   `json:"category"`
	Tags          []string `json:"tags,omitempty"`
	MaxSteps      int      `json:"maxSteps"`
	MaxDurationMs int      `json:"maxDurationMs"`
	// Transcript is the digest of the file that the adapter replays; empty if it
	// replays none.
	Transcript string `json:"transcript,omitempty"`
	// Revision counts the changes of the task, its pages and its transcripts. Results of
	// different revisions are never compared.
	Revision int `json:"revision,omitempty"`
}

// Reset begins an episode: its session is ready, or could not be started.
type Reset struct {
	Task       Task     `json:"task"`
	Repetition int      `json:"repetition"`
	Attempt    int      `json:"attempt,omitempty"` // at the episode; absent: the first
	Server     *Server  `json:"server,omitempty"`  // nil when the session did not start
	Tools      []string `json:"tools,omitempty"`   // names of the server's tools
	// ToolSize is the length of the list of tools that an adapter gets; only if a policy carries out
	// the task, or in bench:parity.
	ToolSize *tokens.Size `json:"toolSize,omitempty"`
	Viewport string       `json:"viewport,omitempty"` // "800x600", or why it could not be set
	LaunchMs float64      `json:"launchMs"`
	WaitMs   float64      `json:"waitMs"`          // how long the episode waited for its session
	Error    string       `json:"error,omitempty"` // why there is no session
	// Refused says that the server answered, and lacks a tool that prepares a session: it has failed.
	Refused bool `json:"refused,omitempty"`
}

// ToolCall is written before a call is sent.
type ToolCall struct {
	Step int `json:"step"` // 0: the navigation to the start URL
	adapter.Call
}

// ToolResult is written when a call has ended, however it ended.
type ToolResult struct {
	Step       int     `json:"step"`
	Tool       string  `json:"tool"`
	DurationMs float64 `json:"durationMs"`
	adapter.Result
	Drift *adapter.Drift `json:"drift,omitempty"` // nil: the answer is as expected
	Fault
}

// IsError reports whether the answer is an error. A call that was cancelled at the time cap counts as
// one: a server that freezes must not look better than one that says what is wrong.
func (b *ToolResult) IsError() bool { return b.Cause == CauseTimeCap || b.Result.IsError() }

// ChangedWords describes how the answer changed, in words; empty if it did not.
func (b *ToolResult) ChangedWords() string {
	if b.Drift == nil {
		return ""
	}
	return b.Drift.Words(b.Step, b.Tool, Answered(b.IsError(), b.Text()))
}

// ChangedReason is the reason of an episode that failed because this step's answer changed.
// words says how.
func ChangedReason(step int, words string) string {
	return fmt.Sprintf("the answer of step %d changed: %s", step, words)
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

// Fault says why a call of the adapter or of the harness has no answer. It is zero if the
// call was answered, or if the missing answer does not affect the status.
type Fault struct {
	Cause   Cause  `json:"cause,omitempty"`
	Failure string `json:"failure,omitempty"` // in words
}

// Progress is read after a step. If the server has ended but there is an observer, the
// status is not affected, so Failure has no Cause.
type Progress struct {
	Step  int    `json:"step"`
	URL   string `json:"url,omitempty"`   // of the page
	Words *Words `json:"words,omitempty"` // after a call that reads the whole page; only with an observer
	Fault
}

// Words counts the different words of a page, and how many of them an answer contained.
type Words struct {
	Page int `json:"page"`
	Held int `json:"held"`
}

// Facts holds the facts for the contract, as the last judging read them.
type Facts struct {
	FinalURL   string                 `json:"finalUrl"`
	Facts      *evidence.Facts        `json:"facts,omitempty"` // nil: nothing could be read
	Provenance *judge.Provenance      `json:"provenance,omitempty"`
	SessionID  string                 `json:"sessionId,omitempty"`
	NowMs      int64                  `json:"nowMs"`             // the time of judging, for facts with a maximum age
	Classes    map[string]phash.Class `json:"classes,omitempty"` // the screenshot classes that the task brings
	Missing    string                 `json:"missing,omitempty"` // why facts are missing
	NoPage     string                 `json:"noPage,omitempty"`  // why there was no page to read them from
	Off        bool                   `json:"off,omitempty"`     // there was none because the tab was closed or showed a page of the browser itself
	Dialogs    []Dialog               `json:"dialogs,omitempty"` // all dialogs of the tab in this episode; only an observer sees them
	Waited
	Fault
}

// Waited says how long the verdict waited, in real time but for PageMs.
type Waited struct {
	WaitMs   float64 `json:"waitMs"`             // time from the first judging to the end of the last
	RestMs   float64 `json:"restMs,omitempty"`   // how long the verdict then waited for late acts
	Restless bool    `json:"restless,omitempty"` // the web did not rest within that wait, or page time did not come to its end
	Judgings int     `json:"judgings"`           // how often the page was read and judged
	PageMs   float64 `json:"pageMs,omitempty"`   // how much page time the pages got; 0: they stayed in real time
	RealTime string  `json:"realTime,omitempty"` // why they stayed in real time, although an observer watched them
}

// Words says what was unusual; "" for the usual.
func (w Waited) Words() string {
	switch {
	case w.RealTime != "":
		return "the verdict waited in real time: " + w.RealTime
	case w.Restless && w.PageMs > 0:
		return fmt.Sprintf("the pages needed more time than there was: the verdict is of %.1f s in their own time", w.PageMs/1000)
	case w.Restless:
		return "the verdict did not wait until the web rested"
	}
	return ""
}

// Dialog is a JavaScript dialog that a page opened.
type Dialog struct {
	Kind    string `json:"kind"` // alert, confirm, prompt or beforeunload
	Message string `json:"message"`
	Open    bool   `json:"open,omitempty"` // it was open while facts were read
}

// ContractEval holds the judgement.
type ContractEval struct {
	Judgement judge.Judgement `json:"judgement"`
	// WrongSideEffects lists the forbidden effects that happened, in words: the wrong acts in the log of
	// the fixture web, and each "not" of the contract that does not hold.
	WrongSideEffects []string `json:"harm,omitempty"`
}

// RunEnd closes a log, unless a [RunResume] follows. If a log has none, its run was killed or
// is still running.
type RunEnd struct {
	Interrupted bool `json:"interrupted,omitempty"` // the run was stopped before every episode was done
}

// Type implements [Body]; so do the methods below.
func (*RunStart) Type() Type     { return TypeRunStart }
func (*RunResume) Type() Type    { return TypeRunResume }
func (*Reset) Type() Type        { return TypeReset }
func (*ToolCall) Type() Type     { return TypeToolCall }
func (*ToolResult) Type() Type   { return TypeToolResult }
func (*Progress) Type() Type     { return TypeProgress }
func (*Facts) Type() Type        { return TypeFacts }
func (*ContractEval) Type() Type { return TypeContractEval }
func (*Agent) Type() Type        { return TypeAgent }
func (*Stop) Type() Type         { return TypeStop }
func (*RunEnd) Type() Type       { return TypeRunEnd }
