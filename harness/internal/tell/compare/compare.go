// Package compare says what changed between two runs: in each episode, what no longer passes, and whether
// the rest may be chance. It reads and writes no file but the log of [ReadRun].
//
//	match.go             what belongs together, and what is refused
//	pair.go, figures.go  what changed: figures and tests; policies.go has those of policies
//	words.go, grid.go    the same in words and tables
//	gate.go              the rules that a change must keep
//
// A regression is a fact: every repetition of a task passed in the base, and none in the head, and there
// are three or more. A fix is the reverse. A rate is a sample: where outcomes vary, tests say whether the
// difference may be chance, but only of runs that took turns. Of agents only tests decide.
package compare

import (
	"cmp"
	"slices"

	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Options say how the two runs belong together. The zero value is for runs that were
// made one after the other.
type Options struct {
	Base, Head string // what people call the two; empty: the ids of the runs
	// Interleaved says that the episodes of both took turns in one run. Otherwise durations and
	// outcomes that vary show nothing: the machine may have been busier.
	Interleaved bool
}

// Comparison says how the head differs from the base.
type Comparison struct {
	Base, Head Side
	Unfinished string // how many pairs are done, and how to run the others; empty: all are
	Finding    Finding
	// Sentence is the finding, or "slower" or "faster" if only durations changed, and what it follows from.
	Sentence string
	// Needed is how many repetitions of each task bench:parity needs to find a drop of ten
	// points with a power of 80 %. It is 0 unless outcomes changed and may be chance.
	Needed     int
	SameServer bool // otherwise tools and hints are not compared
	// Agents says that agents decided the calls. Chance moves each of them, so no regression and no fix
	// is a fact: only tests decide.
	Agents      bool
	Interleaved bool              // see [Options]
	Notes       []string          // on what was left out, and how the runs differ
	Pairs       int               // episodes that both have
	Counted     int               // pairs without a void episode
	Changed     int               // pairs of which one passed, and the other did not
	Success     Success           // of all tasks
	Shifts      map[Metric]*Shift // of all tasks together; empty for one task
	Tasks       []*Task           // by id
	Tools       []*Tool           // by name
	Turned      []Turned          // by task; of one server without an agent
	Policies    *Policies         // of two runs with policies; nil: they have none
	Grid        Grid              // how tasks ended on both sides

	gone, added []string // tools that only the base has, and only the head
}

// Table is a table of texts. A page or a server may have written some of them.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
}

// Side is one of the two runs.
type Side struct {
	Name     string // what people call it
	Report   *report.Report
	Episodes int
	Counts
	Part string // base or head; of two servers, what people call it
}

// Counts counts episodes. Void ones are in no rate.
type Counts struct {
	Passed           int
	Lost             int // failed
	Known            int // of the lost ones: known defects, see [record.Stop.KnownDefect]
	WrongSideEffects int // of the lost ones: a forbidden effect happened
	Void             int // for another reason, such as the environment
}

// N is the number of episodes that count.
func (c Counts) N() int { return c.Passed + c.Lost }

// Rate is the share of passed episodes, 0 if none counts.
func (c Counts) Rate() float64 { return float64(c.Passed) / float64(max(1, c.N())) }

// Varies reports whether some repetitions passed and others did not. If none varies, all are one
// observation, and there is no interval.
func (c Counts) Varies() bool { return c.Passed > 0 && c.Lost > 0 }

func (c Counts) withoutKnown() Counts {
	c.Lost, c.Known = c.Lost-c.Known, 0
	return c
}

func (c *Counts) sum(d Counts) {
	c.Passed += d.Passed
	c.Lost += d.Lost
	c.Known += d.Known
	c.WrongSideEffects += d.WrongSideEffects
	c.Void += d.Void
}

func (c *Counts) add(e *report.Episode) {
	is := outcomeOf(e)
	c.count(is)
	if is == lost {
		c.Known += count(e.KnownDefect)
		c.WrongSideEffects += count(len(e.WrongSideEffects) > 0)
	}
}

func (c *Counts) count(is outcome) {
	c.Passed += count(is == passed)
	c.Lost += count(is == lost)
	c.Void += count(is == void)
}

// outcome is what an episode counts as in a comparison.
type outcome int

const (
	void outcome = iota // for a reason that says nothing about the server
	passed
	lost // failed
)

func outcomeOf(e *report.Episode) outcome {
	switch class := e.Status.Class(); {
	case class == record.Pass:
		return passed
	case class == record.Fail, e.AgentSaid != nil && e.Status == record.AdapterError: // an agent's own failure
		return lost
	}
	return void
}

// Task is one task on both sides.
type Task struct {
	ID         string
	Base, Head TaskSide
	Reversal   Reversal
	Success    Success
	Shifts     map[Metric]*Shift // of the metrics that are compared; nil: no pair has the same outcome

	noTool bool   // the side that lost it lacks a tool that it called
	of     string // the id without a policy
	policy string // empty: it has none
	pairs  []Pair
	turns  []turn // of the pairs
	void   int    // pairs with a void episode
	same   []Pair // of the others, the ones with the same outcome, without known defects
}

// counts reports whether an episode counts on both sides.
func (t *Task) counts() bool { return t.Base.N() > 0 && t.Head.N() > 0 }

// TaskSide is one side of a task.
type TaskSide struct {
	Counts
	ChangedAnswers int // of all episodes

	episodes []*report.Episode
}

// usual is what an episode that counts needed: the mean, and of Duration the median.
func (t *TaskSide) usual(m Metric) float64 {
	var all []float64
	sum := 0.0
	for _, e := range t.episodes {
		if outcomeOf(e) != void {
			all = append(all, amount(e, m))
			sum += amount(e, m)
		}
	}
	if m != Duration {
		return sum / float64(len(all))
	}
	slices.Sort(all)
	return stats.Quantile(all, 0.5)
}

// Metric is what an episode needed.
type Metric string

// The metrics.
const (
	Steps    Metric = "steps"
	Calls    Metric = "calls"
	Errors   Metric = "errors"
	Tokens   Metric = "tokens"   // of arguments and answers, o200k_base
	Duration Metric = "duration" // in ms
)

// metrics are all of them, in the order of tables.
var metrics = []Metric{Steps, Calls, Errors, Tokens, Duration}

// metrics are those that are compared: of stored runs all but durations.
func (c *Comparison) metrics() []Metric {
	if c.Interleaved {
		return metrics
	}
	return metrics[:len(metrics)-1]
}

// noDurations says why durations of stored runs are not compared.
const noDurations = "durations are not compared: the machine may have been busier in one of two stored runs; " +
	"bench:parity compares durations, because its runs take turns"

func amount(e *report.Episode, m Metric) float64 {
	switch m {
	case Steps:
		return float64(e.Steps)
	case Calls:
		return float64(e.ToolCalls)
	case Errors:
		return float64(e.OpenchromeErrors)
	case Tokens:
		return float64(e.Tokens())
	}
	return e.DurationMs
}

// Compare compares the tasks that both runs have. If they did not do the same, the error is a
// [*Refusal]. Tasks with different revisions are left out.
func Compare(base, head *report.Report, o Options) (*Comparison, error) {
	c, err := match(base, head, o)
	if err != nil {
		return nil, err
	}
	base, head = c.Base.Report, c.Head.Report
	c.Interleaved, c.Agents = o.Interleaved, base.Agent != nil
	c.Notes = append(c.Notes, c.differ()...)
	for _, s := range c.sides() {
		if s.Report.Kept {
			c.note("tools and hints are not compared: %s is a record", s.the())
		}
	}
	c.pairUp()
	c.Grid = GridOf([]string{c.Base.Part, c.Head.Part}, base, head)
	c.Policies = comparePolicies(c)
	c.tools()
	c.reversals()
	c.success()
	c.findTools()
	c.shifts()
	c.find()
	return c, nil
}

// Title is what people call the server of a run.
func Title(r *report.Report) string {
	switch {
	case r.Server == nil:
		return "no server"
	case r.Server.Name == record.StandinName:
		return "the stand-in"
	}
	return display.Visible(server.Title(r.Server.Name))
}

func (c *Comparison) sides() []*Side { return []*Side{&c.Base, &c.Head} }

func (c *Comparison) pairUp() {
	base, head := byTask(c.Base.Report), byTask(c.Head.Report)
	for _, r := range c.Base.Report.Tasks {
		t := &Task{ID: r.ID, of: cmp.Or(r.Of, r.ID), policy: r.Policy}
		t.Base, t.Head = newTaskSide(base[r.ID]), newTaskSide(head[r.ID])
		t.pairUp()
		for i := range t.pairs {
			p := &t.pairs[i]
			if p.void() {
				t.void++
			} else if !p.alike() {
				c.Changed++
			} else if !p.Base.KnownDefect && !p.Head.KnownDefect {
				t.same = append(t.same, *p)
			}
			c.count(p)
		}
		if c.SameServer && !c.Agents { // two agents make other calls
			c.turn(t)
		}
		c.Base.sum(t.Base.Counts)
		c.Head.sum(t.Head.Counts)
		c.Pairs += len(t.pairs)
		c.Counted += len(t.pairs) - t.void
		c.Tasks = append(c.Tasks, t)
	}
}

func byTask(r *report.Report) map[string][]*report.Episode {
	tasks := map[string][]*report.Episode{}
	for _, e := range r.Episodes.All() {
		tasks[e.TaskID] = append(tasks[e.TaskID], e)
	}
	return tasks
}

func newTaskSide(episodes []*report.Episode) TaskSide {
	t := TaskSide{episodes: episodes}
	for _, e := range episodes {
		t.Counts.add(e)
		t.ChangedAnswers += len(e.ChangedAnswers)
	}
	return t
}

// pairUp pairs the episodes by repetition.
func (t *Task) pairUp() {
	heads := map[int]*report.Episode{}
	for _, h := range t.Head.episodes {
		heads[h.Repetition] = h
	}
	for _, b := range t.Base.episodes {
		if h := heads[b.Repetition]; h != nil {
			t.pairs = append(t.pairs, Pair{Base: b, Head: h})
			t.turns = append(t.turns, turn{b.Repetition, outcomeOf(b), outcomeOf(h)})
		}
	}
}
