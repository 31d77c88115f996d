package format

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// RecordExt is how the name of a record ends: the part of a run to keep, for comparisons and report:history.
const RecordExt = ".record.jsonl"

// recordVersion is the version of its form, which reports/README.md describes.
const recordVersion = 1

// The largest record that is read, in bytes; the characters of a digest in it; the most changed answers of an
// episode, which has at most 100 steps; and the most families of tasks.
const (
	maxRecord   = 64 << 20
	maxDigest   = 12
	maxChanged  = 100
	maxFamilies = 100
)

// recordRun is the first line: a report without what its episodes add up to.
type recordRun struct {
	Record int `json:"record"`
	report.Report
	SchemaVersion *struct{}    `json:"schemaVersion,omitempty"`
	Totals        planned      `json:"totals"`
	Figures       *struct{}    `json:"figures,omitempty"`
	Tasks         []recordTask `json:"tasks"`
	Episodes      *struct{}    `json:"episodes,omitempty"`
}

type planned struct {
	Planned int `json:"planned"`
	CutOff  int `json:"cutOff,omitzero"`
}

// recordTask is a task. Digests are of what it depends on and of its transcript, as in [report.Task], by
// policy. Hosts are those of all policies.
type recordTask struct {
	ID       string               `json:"id"`
	Family   string               `json:"family"`
	Core     bool                 `json:"core,omitzero"`
	Revision int                  `json:"revision,omitzero"`
	Digests  map[string][2]string `json:"digests"`
	Hosts    []string             `json:"hosts,omitempty"`
}

// recordEpisode is a line for an episode. The outcome of one that passed is left out, and so is the first repetition.
type recordEpisode struct {
	Task             string          `json:"task"`
	Policy           string          `json:"policy,omitempty"`
	Repetition       int             `json:"repetition,omitzero"`
	Status           record.Status   `json:"status"`
	Cause            record.Cause    `json:"cause,omitempty"`
	Outcome          report.Outcome  `json:"outcome,omitempty"`
	KnownDefect      bool            `json:"knownDefect,omitzero"`
	WrongSideEffects []string        `json:"harm,omitempty"`
	Untrue           []report.Untrue `json:"untrue,omitempty"`
	Known            map[string]int  `json:"known,omitempty"`
	False            int             `json:"falseSuccesses,omitzero"`
	Silent           int             `json:"unreported,omitzero"`
	Steps            int             `json:"steps"`
	Calls            int             `json:"calls"`
	Errors           int             `json:"errors,omitzero"`
	Changed          int             `json:"drifts,omitzero"`
	Tokens           int             `json:"tokens"`
	Read             int             `json:"read,omitzero"`
	Ms               int             `json:"ms"`
}

// Record writes the record of a run: a line of JSON for the run, then one for each episode.
func Record(w io.Writer, r *report.Report) error {
	line := func(v any) error {
		err := json.MarshalWrite(w, v, json.Deterministic(true), jsontext.EscapeForHTML(true))
		_, err2 := io.WriteString(w, "\n")
		return errors.Join(err, err2)
	}
	head := recordRun{Record: recordVersion, Report: *r, Totals: planned{r.Totals.Planned, r.Totals.CutOff}}
	for _, t := range r.Tasks {
		id := cmp.Or(t.Of, t.ID)
		i := slices.IndexFunc(head.Tasks, func(k recordTask) bool { return k.ID == id })
		if i < 0 {
			i = len(head.Tasks)
			head.Tasks = append(head.Tasks, recordTask{ID: id, Family: record.Family(t.Tags, t.Category),
				Core: record.InCore(t.Tags), Revision: t.Revision, Digests: map[string][2]string{}})
		}
		k := &head.Tasks[i]
		k.Digests[t.Policy] = [2]string{brief(t.Content), brief(t.Transcript)}
		k.Hosts = record.HostsOf(slices.Concat(k.Hosts, t.Hosts))
	}
	err := line(head)
	for _, e := range r.Episodes.All() {
		k := why.Keep(r, e)
		one := recordEpisode{
			Task: cmp.Or(e.Of, e.TaskID), Policy: e.Policy, Repetition: e.Repetition, Status: e.Status, Cause: e.Cause,
			Outcome: e.Outcome, KnownDefect: e.KnownDefect, WrongSideEffects: e.WrongSideEffects, Untrue: k.Untrue,
			Known: k.Known, False: k.False, Silent: k.Silent, Steps: e.Steps, Calls: e.ToolCalls, Errors: e.OpenchromeErrors,
			Changed: len(e.ChangedAnswers), Tokens: k.Tokens, Read: k.Read, Ms: int(e.DurationMs),
		}
		if e.Outcome == report.Passed {
			one.Outcome = ""
		}
		if e.Repetition == 1 {
			one.Repetition = 0
		}
		err = errors.Join(err, line(one))
	}
	return err
}

// brief is the beginning of a digest, without the name of its algorithm.
func brief(digest string) string {
	digest = digest[strings.LastIndex(digest, ":")+1:]
	return digest[:min(len(digest), maxDigest)]
}

// ReadRecord reads a record as a report that has no calls, figures of what is left out, goals or contracts. The
// error has the line and, where it can, the column.
func ReadRecord(name string) (*report.Report, error) {
	raw, err := regular.Read(name, maxRecord)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	r, err := parseRecord(raw)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return r, nil
}

// AsRecord is a report as its record has it, which needs little memory.
func AsRecord(r *report.Report) (*report.Report, error) {
	var b bytes.Buffer
	if err := Record(&b, r); err != nil {
		return nil, err
	}
	return parseRecord(b.Bytes())
}

func parseRecord(raw []byte) (*report.Report, error) {
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, maxRecord)
	n := 0
	next := func(to any) (bool, error) {
		if !lines.Scan() {
			return false, lines.Err()
		}
		n++
		err := json.Unmarshal(lines.Bytes(), to, json.RejectUnknownMembers(true))
		if err == nil {
			return true, nil
		}
		at := int64(0)
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			at, err = syntax.ByteOffset, syntax.Err
		} else if meaning, ok := errors.AsType[*json.SemanticError](err); ok {
			at = meaning.ByteOffset
			err = fmt.Errorf("%s is not in the form of a record: %w", display.Quote(string(meaning.JSONPointer)),
				cmp.Or(meaning.Err, err))
		}
		return false, fmt.Errorf("%d:%d: %w", n, at+1, err)
	}
	var head recordRun
	if _, err := next(&head); err != nil {
		return nil, err
	}
	if head.Record != recordVersion {
		return nil, fmt.Errorf("1: it is not a record of form %d; read it with the program that wrote it", recordVersion)
	}
	r := &head.Report
	r.Kept, r.Tasks = true, nil
	tasks, families := map[string]recordTask{}, map[string]bool{}
	for _, t := range head.Tasks {
		if families[t.Family] = true; len(families) > maxFamilies {
			return nil, fmt.Errorf("1: it has more than %d families of tasks", maxFamilies)
		}
		tasks[t.ID] = t
		for _, policy := range slices.Sorted(maps.Keys(t.Digests)) {
			under := record.Under{}
			id := t.ID
			if policy != "" {
				under, id = record.Under{Of: t.ID, Policy: policy}, record.PolicyID(t.ID, policy)
			}
			r.Tasks = append(r.Tasks, report.Task{Content: t.Digests[policy][0], Hosts: t.Hosts, Task: record.Task{
				ID: id, Under: under, Category: t.Family, Tags: t.tags(), Revision: t.Revision,
				Transcript: t.Digests[policy][1],
			}})
		}
	}
	slices.SortFunc(r.Tasks, func(a, b report.Task) int { return strings.Compare(a.ID, b.ID) })
	done := map[string]bool{}
	for {
		var k recordEpisode
		if more, err := next(&k); err != nil {
			return nil, err
		} else if !more {
			break
		}
		if k.Repetition = cmp.Or(k.Repetition, 1); k.impossible() {
			return nil, fmt.Errorf("%d: %s has a number that cannot be", n, display.Quote(k.Task))
		}
		e := k.episode(r, tasks[k.Task])
		if done[e.Name] {
			return nil, fmt.Errorf("%d: %s occurs twice", n, display.Quote(e.Name))
		}
		done[e.Name] = true
		r.Episodes.Add(e)
	}
	if min(head.Totals.Planned, head.Totals.CutOff) < 0 {
		return nil, errors.New("1: totals has a number that cannot be")
	}
	if err := r.AddUp(head.Totals.Planned, head.Totals.CutOff); err != nil {
		return nil, fmt.Errorf(" %w", err)
	}
	return r, nil
}

// impossible reports whether no episode has one of the numbers.
func (k *recordEpisode) impossible() bool {
	least := min(k.Repetition-1, k.Steps, k.Calls, k.Errors, k.Changed, k.Tokens, k.Read, k.Ms, k.False, k.Silent)
	for _, n := range k.Known {
		least = min(least, n)
	}
	for _, u := range k.Untrue {
		least = min(least, u.N-1, u.Step)
	}
	return least < 0 || k.Changed > maxChanged
}

func (t recordTask) tags() []string {
	if t.Core {
		return []string{t.Family, "core"}
	}
	return []string{t.Family}
}

// unknown stands for the changed answers of all episodes, which a record only counts.
var unknown [maxChanged]report.ChangedAnswer

func (k *recordEpisode) episode(r *report.Report, t recordTask) report.Episode {
	e := report.Episode{
		RunID: r.RunID, TaskID: k.Task, Repetition: k.Repetition, Category: t.Family, Tags: t.tags(), Status: k.Status,
		Success: k.Status == record.Passed, Cause: k.Cause, Outcome: k.Outcome, KnownDefect: k.KnownDefect,
		WrongSideEffects: k.WrongSideEffects, Steps: k.Steps, ToolCalls: k.Calls, OpenchromeErrors: k.Errors,
		ChangedAnswers: unknown[:k.Changed:k.Changed], DurationMs: float64(k.Ms),
		Kept: &report.Kept{
			Untrue: k.Untrue, Known: k.Known, False: k.False, Silent: k.Silent, Tokens: k.Tokens, Read: k.Read,
		},
	}
	if k.Policy != "" {
		e.Under, e.TaskID = record.Under{Of: k.Task, Policy: k.Policy}, record.PolicyID(k.Task, k.Policy)
		if e.Success {
			e.Outcome = report.Passed
		}
	}
	if r.Agent != nil {
		e.AgentSaid = new(report.AgentSaid)
	}
	e.Name = record.EpisodeName(e.TaskID, k.Repetition)
	return e
}
