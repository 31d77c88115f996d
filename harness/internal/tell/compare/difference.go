package compare

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/tell/normal"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// The first difference between two runs: their events in the form of package normal, then their canonical
// reports.

// Difference is the first place where two runs differ.
type Difference struct {
	Episode string // empty: the difference is in the run and not in an episode
	Step    string // the step and the event, in words; empty: the episode's result
	Field   string // JSON pointer
	A, B    string // both values as JSON; "(absent)" for a missing value
}

// Where returns the episode, step and field that differ, as text that is safe to show.
func (d *Difference) Where() string {
	where := "the run"
	if d.Episode != "" {
		where = d.Episode
	}
	if d.Step != "" {
		where += ", " + d.Step
	}
	return where + ", field " + display.Visible(d.Field)
}

func (d *Difference) String() string {
	return fmt.Sprintf("%s: %s and %s", d.Where(), display.Visible(d.A), display.Visible(d.B))
}

// Run is a run in the form that [Diff] compares.
type Run struct {
	*report.Report
	events map[string][][]byte // the canonical ones of each episode
}

// ReadRun reads an event log for comparing. It stops when ctx ends.
func ReadRun(ctx context.Context, path string) (*Run, error) {
	r := &Run{events: map[string][][]byte{}}
	var fold report.Fold
	forms := map[string]*normal.Normaliser{}
	_, err := eventlog.ReadFile(ctx, path, func(e record.Event) error {
		if err := fold.Add(e); err != nil || e.Episode == "" || e.Body.Type() == record.TypeTrace {
			return err
		}
		if e.Body.Type() == record.TypeReset { // of earlier attempts nothing counts
			forms[e.Episode], r.events[e.Episode] = new(normal.Normaliser), nil
		}
		r.events[e.Episode] = append(r.events[e.Episode], forms[e.Episode].Line(e))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.Report, err = fold.Report(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Diff returns the first difference between two runs, or nil if they did the same. With another seed
// everything differs, so it compares that first. Then it compares the events, because they show the
// step at which the runs begin to differ.
func Diff(a, b *Run) *Difference {
	if a.Seed != b.Seed {
		return &Difference{Field: "/seed", A: strconv.Itoa(a.Seed), B: strconv.Itoa(b.Seed)}
	}
	for _, e := range a.Episodes.All() {
		x, y := a.events[e.Name], b.events[e.Name]
		n := min(len(x), len(y))
		for i := range n {
			if d := DiffJSON(x[i], y[i]); d != nil {
				d.Episode, d.Step = e.Name, describe(x[i])
				return d
			}
		}
		if len(x) != len(y) {
			next := slices.Concat(x[n:], y[n:])[0]
			return &Difference{e.Name, describe(next), "/", fmt.Sprintf("%d events", len(x)), fmt.Sprintf("%d events", len(y))}
		}
	}
	var x, y bytes.Buffer // writing to them never fails
	report.Canonical(&x, a.Report)
	report.Canonical(&y, b.Report)
	return DiffJSON(x.Bytes(), y.Bytes())
}

// describe returns the type of an event and, if it has one, its step.
func describe(line []byte) string {
	e, _ := normal.Decode(line).(map[string]any)
	body, _ := e["body"].(map[string]any)
	if step, ok := body["step"]; ok {
		return fmt.Sprintf("step %v %v", step, e["type"])
	}
	return fmt.Sprint(e["type"])
}

// DiffJSON returns the first field in which two JSON texts differ, nil if they are equal.
// Both must be valid.
func DiffJSON(a, b []byte) *Difference {
	if bytes.Equal(a, b) { // most lines of two logs are
		return nil
	}
	for d := range Differences(a, b) {
		return &d
	}
	return nil
}

// Differences yields each field in which two JSON texts differ. Both must be valid.
// Elements of lists are compared by their index.
func Differences(a, b []byte) iter.Seq[Difference] {
	return func(yield func(Difference) bool) { walk("", normal.Decode(a), normal.Decode(b), yield) }
}

// absent stands for a value that is only in one of both texts.
type absent struct{}

// walk yields the differences of two values at a JSON pointer. It returns false as soon as
// yield does.
func walk(at string, a, b any, yield func(Difference) bool) bool {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			keys := maps.Clone(x)
			maps.Copy(keys, y)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				if !walk(string(jsontext.Pointer(at).AppendToken(key)), member(x, key), member(y, key), yield) {
					return false
				}
			}
			return true
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := range max(len(x), len(y)) {
				if !walk(at+"/"+strconv.Itoa(i), element(x, i), element(y, i), yield) {
					return false
				}
			}
			return true
		}
	default: // no value that cannot be compared: b has another type then
		if a == b {
			return true
		}
	}
	return yield(Difference{Field: cmp.Or(at, "/"), A: value(a), B: value(b)})
}

func member(object map[string]any, key string) any {
	if v, ok := object[key]; ok {
		return v
	}
	return absent{}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

func value(v any) string {
	if v == (absent{}) {
		return "(absent)"
	}
	return display.Cut(string(normal.Encode(v)), 300)
}
