package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// SchemaVersion is the version of the report's format; reports/README.md and
// reports/report.schema.json describe it.
const SchemaVersion = 1

// Report is the result of a run. Its JSON is reports/<run-id>.json.
type Report struct {
	SchemaVersion int            `json:"schemaVersion"`
	RunID         string         `json:"runId"`
	Shard         string         `json:"shard,omitempty"` // the share of the plan that ran, such as 2/7; empty: all
	Parity        record.Parity  `json:"parity,omitzero"` // see [record.RunStart]
	Server        *record.Server `json:"server"`          // null when no session came up
	Adapter       string         `json:"adapter"`
	// Agent is the agent that decided the calls; nil if the adapter is none.
	Agent *record.PlannedAgent `json:"agent,omitempty"`
	// Seed is the seed of the tasks' values.
	Seed       int             `json:"seed"`
	Drift      string          `json:"drift,omitempty"` // how it was treated: count or strict; see [record.Options]
	Web        record.Web      `json:"web"`
	Profile    *record.Profile `json:"profile,omitempty"`   // with policies or -profile: what is known of the server
	Core       int             `json:"coreTasks,omitempty"` // with policies: how many core tasks have intents
	Package    *record.Package `json:"package,omitempty"`
	NoTools    []string        `json:"noTools,omitempty"` // tools that were called and that the server does not have
	Listed     []string        `json:"-"`                 // the tools that the server listed; only from a log
	Normaliser int             `json:"normaliser"`        // version of the rules that made answers comparable
	Rules      int             `json:"rules,omitempty"`   // of the words of calls, see [word.Rules]
	Notes      []string        `json:"notes,omitempty"`   // remarks for the reader
	Ending     record.Ending   `json:"ending,omitempty"`  // how the log ends
	// History says how the run came about, if it was not in one go: it was resumed or joined,
	// or episodes ran again.
	History []string `json:"history,omitempty"`
	// Missing names the planned episodes that are not done, by task, such as
	// example-h1#1-3,5. A log without a plan does not say which they are.
	Missing  []string       `json:"missing,omitempty"`
	Began    time.Time      `json:"began,omitzero"` // the first event of the log
	Host     record.Host    `json:"host"`
	Harness  record.Harness `json:"harness,omitzero"`       // the build of this program; a canonical report has none
	Options  record.Options `json:"-"`                      // the run's own settings; only from a log
	Kept     bool           `json:"-"`                      // it is from a record, see [Kept]
	Out      string         `json:"-"`                      // the folder that its files were written to, for commands
	Launcher string         `json:"-"`                      // of the server, also of one that did not start; only from a log
	Planned  int            `json:"plannedTasks,omitempty"` // tasks of the plan
	Digest   string         `json:"digest"`                 // of the canonical report
	Totals   Totals         `json:"totals"`
	Figures  Figures        `json:"figures"`
	Tasks    []Task         `json:"tasks"`    // by id
	Episodes Episodes       `json:"episodes"` // by task, then repetition
}

// Plan is the plan of the run, as far as the report knows it: without the tasks, and without
// options that only a log has.
func (r *Report) Plan() *record.RunStart {
	s := &record.RunStart{Adapter: r.Adapter, Web: r.Web, Options: r.Options}
	if s.Launcher = r.Launcher; r.Server != nil {
		s.Launcher = r.Server.Launcher
	}
	s.Options.Seed, s.Options.Drift = r.Seed, r.Drift
	return s
}

// Task is a task that has an episode in the run.
type Task struct {
	record.Task
	// Contract decides whether an episode passed; null while no episode has ended.
	Contract json.RawMessage `json:"contract"`
	// File is the path of the task file, as the run was given it. It is empty until an
	// episode has ended, and in a canonical report.
	File string `json:"file,omitempty"`
	// Content is a digest of the task, as in [record.Planned]; empty: the log has none.
	Content string `json:"content,omitempty"`
	// Hosts are the hosts that the task lists or that its episodes asked for, see [record.Web].
	Hosts []string `json:"hosts,omitempty"`
}

// Episode is the result of one episode. Fields that upstream's EpisodeResult also
// has keep their names and places.
type Episode struct {
	Name   string `json:"episode"` // <task-id>#<repetition>
	RunID  string `json:"runId"`
	TaskID string `json:"taskId"`
	record.Under
	Title              string                `json:"title"`
	Repetition         int                   `json:"repetition"`
	Category           string                `json:"category"`
	Tags               []string              `json:"tags,omitempty"`
	Status             record.Status         `json:"status"`
	Success            bool                  `json:"success"`
	Cause              record.Cause          `json:"cause,omitempty"` // what decided the status; empty if it is passed
	Reason             string                `json:"reason,omitempty"`
	Unsupported        string                `json:"unsupported,omitempty"` // why the server cannot do the task; only with this cause
	KnownDefect        bool                  `json:"knownDefect,omitempty"` // see [record.Stop.KnownDefect]
	Outcome            Outcome               `json:"outcome,omitempty"`     // of a policy's episode; empty: it is void
	Looked             int                   `json:"looked,omitempty"`      // for how many targets a policy looked in answers
	Found              int                   `json:"found,omitempty"`       // how many of them an answer named
	WrongSideEffects   []string              `json:"harm,omitempty"`        // forbidden effects that happened, in words, see [record.ContractEval]
	Missed             []record.Missed       `json:"missed,omitempty"`      // why receipts were missed, without times
	Steps              int                   `json:"steps"`
	MaxSteps           int                   `json:"maxSteps"`
	MaxDurationMs      int                   `json:"maxDurationMs"`
	DurationMs         float64               `json:"durationMs"`
	ToolCalls          int                   `json:"toolCalls"`
	OpenchromeErrors   int                   `json:"openchromeErrors"`
	NoProgressEpisodes int                   `json:"noProgressEpisodes"`
	Recovered          bool                  `json:"recovered"`
	Hints              []HintCount           `json:"hints,omitempty"`
	FinalURL           string                `json:"finalUrl"`
	LastToolCall       *adapter.Call         `json:"lastToolCall,omitempty"`
	FailedContract     *judge.FailedContract `json:"failedContract,omitempty"`
	Explanation        *judge.Node           `json:"explanation,omitempty"` // for every verdict but pass
	Tree               *judge.Node           `json:"-"`                     // the explanation, also for pass; only from a log
	Evidence           json.RawMessage       `json:"evidence,omitempty"`
	// Retries counts the earlier attempts that ended void, so that -retries ran the episode
	// again. Attempts are all earlier attempts; none of them counts.
	Retries        int             `json:"retries,omitempty"`
	Attempts       []Attempt       `json:"attempts,omitempty"`
	ChangedAnswers []ChangedAnswer `json:"drifts,omitempty"` // by step, at most one each
	Calls          []Call          `json:"calls,omitempty"`  // of the adapter, in order
	InputTokens    *InputTokens    `json:"bill,omitempty"`   // what a model would have to read; only of a policy's episode
	Digest         string          `json:"digest"`           // of the episode's canonical events
	// Kept is all that is known of the calls, if the report is from a record; else nil.
	Kept *Kept `json:"-"`
	// ServerEnded, Page and PageMissing are as in [record.Stop].
	// AgentSaid is what is known of the agent after its end; nil if the adapter is none.
	AgentSaid   *AgentSaid `json:"agentSaid,omitempty"`
	ServerEnded string     `json:"serverEnded,omitempty"`
	// Waited is how long the verdict waited.
	Waited      record.Waited `json:"waited,omitzero"`
	Page        string        `json:"page,omitempty"`
	PageMissing string        `json:"pageMissing,omitempty"`
	Ended       string        `json:"ended,omitempty"` // how the text of the last page begins
	Artifacts   Artifacts     `json:"artifacts"`
}

// Kept is what the record of a run keeps of an episode in place of its calls.
type Kept struct {
	Untrue []Untrue
	Known  map[string]int // answers of each tool that are known to be true or not, or never came
	False  int            // answers that are false successes
	Silent int            // answers that leave a side effect unreported
	Tokens int            // of arguments and answers, o200k_base
	Read   int            // input tokens, likewise; 0: they are not known
}

// Untrue counts the answers of a tool that are untrue in the same way, which Word says.
type Untrue struct {
	Tool string `json:"tool"`
	Word string `json:"word"`
	N    int    `json:"n"`
	Step int    `json:"step"` // of the first
}

// AnswerChanged reports whether the first changed answer is the reason of the status.
func (e *Episode) AnswerChanged() bool {
	return len(e.ChangedAnswers) > 0 && e.Status == record.Failed
}

// Attempt is an attempt at an episode that was not the last one.
type Attempt struct {
	Status record.Status `json:"status,omitempty"` // empty: the run was killed in the middle of it
	Reason string        `json:"reason,omitempty"`
	Steps  int           `json:"steps"`
}

// Earlier says in words how the earlier attempts at the episode ended, a line for each.
func (e *Episode) Earlier() (lines []string) {
	for i, a := range e.Attempts {
		line := fmt.Sprintf("attempt %d: %s after %s", i+1, cmp.Or(string(a.Status), "cut off, because the run was killed,"), display.Count(a.Steps, "step"))
		if a.Reason != "" {
			line += ": " + a.Reason
		}
		lines = append(lines, line)
	}
	return lines
}

// ChangedAnswer is an answer that differs from the expected one.
type ChangedAnswer struct {
	Step int    `json:"step"`
	Tool string `json:"tool"`
	adapter.Drift
	Actual string `json:"actual"` // see [record.Answered]
}

func (d ChangedAnswer) String() string { return d.Words(d.Step, d.Tool, d.Actual) }

// HintCount counts the hints of one rule of OpenChrome's hint engine.
type HintCount struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// Artifacts are paths relative to the folder that the run wrote to.
type Artifacts struct {
	EventsJSONL string `json:"eventsJsonl"`
	ReportJSON  string `json:"reportJson"`
	ReportMD    string `json:"reportMd"`
}
