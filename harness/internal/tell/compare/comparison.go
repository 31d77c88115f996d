// Package compare compares two reports: what changed in each episode, what no longer
// passes, and whether the rest may be chance. It reads and writes no file.
//
//	base, head *report.Report -> Compare -> *Comparison -> Gate.Judge -> breaches
//
// A regression is a fact: every repetition of a task passed in the base, and none in the head, and there
// are three or more. A fix is the reverse. A rate is a sample: where outcomes vary, tests say whether the
// difference may be chance, but only of runs that took turns. Of agents only tests decide.
package compare

import (
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
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
	Sentence   string // Word, a colon and Figures
	Word       string // the finding; "slower" or "faster" if only durations changed
	Figures    string // what the finding follows from, in words
	// Needed is how many repetitions of each task bench:parity needs to find a drop of ten
	// points with a power of 90 %. It is 0 unless outcomes changed and may be chance.
	Needed      int
	SameServer  bool      // otherwise answers are not compared
	Agents      bool      // agents decided the calls. Chance moves each of them, so no regression and no fix is a fact: only tests decide
	Interleaved bool      // see [Options]
	NoDurations string    // why durations are not compared; empty: they are
	NoTokens    string    // likewise
	Notes       []string  // what else the reader must know
	All         int       // tasks that either run has; those that only one has are left out
	Pairs       int       // episodes that both have
	Counted     int       // pairs without a void episode
	Changed     int       // pairs of which one passed, and the other did not
	Reworded    int       // answers to the same call that differ, and are both errors or both not; of pairs with one outcome
	Success     Success   // of all tasks
	Shifts      []Shift   // of all tasks together, a row for each metric; empty for one task
	Tasks       []Task    // by id
	Tools       []Tool    // by name
	Episodes    []Pair    // by task, then repetition: pairs in which anything but times changed
	Policies    *Policies // of two runs with policies; nil: they have none
	Servers     Servers   // of bench:parity; empty for stored runs

	compared map[string]*Tool
}

// Servers is a table of texts, a row for each server of bench:parity.
type Servers struct {
	Header []string
	Rows   [][]string
}

// Side is one of the two runs.
type Side struct {
	Name     string // what people call it
	Report   *report.Report
	Episodes int
	Counts
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

func (c Counts) withoutKnown() Counts {
	c.Lost, c.Known = c.Lost-c.Known, 0
	return c
}

// Rate is the share of passed episodes, 0 if none counts.
func (c Counts) Rate() float64 {
	if c.N() == 0 {
		return 0
	}
	return float64(c.Passed) / float64(c.N())
}

// Finding is the answer to "did that change?".
type Finding string

// The findings. They are about outcomes; [Comparison.Sentence] says besides whether the
// head is slower or needs more.
const (
	Better       Finding = "better"
	Worse        Finding = "worse"
	NoDifference Finding = "no difference shown"
	TooFew       Finding = "too few episodes to say"
	MayBeChance  Finding = "may be chance"
)

// Reversal is a regression or a fix: all repetitions of a task changed their outcome.
type Reversal string

// The reversals.
const (
	NoReversal Reversal = ""
	Regression Reversal = "no longer passes" // all passed in the base, none in the head
	Fix        Reversal = "passes now"       // the other way round
)

// Task is one task on both sides.
type Task struct {
	ID, Title  string
	Base, Head TaskSide
	Pairs      int // see [Comparison]
	Counted    int // likewise
	Changed    int // likewise
	Reworded   int // likewise
	Reversal   Reversal
	Success    Success
	Shifts     []Shift // a row for each metric

	same []Pair // of the counted pairs, the ones with the same outcome, without known defects
}

// TaskSide is one side of a task.
type TaskSide struct {
	Counts
	Interval       stats.Interval     // of the rate, 95 % Wilson
	Usual          map[Metric]float64 // of the episodes that count: the mean; of Duration the median
	ChangedAnswers int                // of all episodes
}

// Success is how the rate of passed episodes changed.
type Success struct {
	Change stats.Estimate // head minus base, from -1 to 1
	// Shown says that the test, corrected for the number of tasks, shows a difference.
	Shown bool
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

// Metrics are all metrics, in the order of tables.
var Metrics = []Metric{Steps, Calls, Errors, Tokens, Duration}

// Shift is how much more the head needed. Only pairs with the same outcome count: an
// episode that fails takes another time than one that passes. Known defects make no call, so
// they have no shift.
type Shift struct {
	Metric   Metric
	N        int            // pairs
	Change   stats.Estimate // head minus base, in the unit of the metric
	Relative stats.Estimate // the same as a share of the base
}

// Pair is a repetition of a task on both sides.
type Pair struct {
	Name       string // <task-id>#<repetition>
	Base, Head *report.Episode
	Changes    []Change
	Answers    []Answer // that differ
}

// Change is a field of an episode that changed, in words.
type Change struct {
	What, Base, Head string
}

// Answer is two answers to the same call that differ. The texts are in the calls, if the
// reports were made from logs.
type Answer struct {
	Base, Head *report.Call
}

// Rewording is a way in which answers of a tool differ.
type Rewording struct {
	Answer         // one of them
	Episode string // where it is
	Count   int
}
