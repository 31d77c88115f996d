package option

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/record"
)

// results are the targets whose options can change results.
const results = "bench:mock bench:episode bench:verify bench:parity"

func (r Row) ofRun() bool {
	return slices.ContainsFunc(strings.Fields(results), func(target string) bool { return slices.Contains(strings.Fields(r.In), target) })
}

// Each field of Values is the field of a row. A row of a run is in its plan, where -resume and
// report:merge look at it, or says why two runs that differ in it may be joined.
func TestEveryOptionIsInTheTable(t *testing.T) {
	var v Values
	fields := reflect.ValueOf(&v).Elem()
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		at := fields.Field(i).Addr().Interface()
		rows := slices.DeleteFunc(slices.Clone(Rows), func(r Row) bool { return r.At(&v) != at })
		if len(rows) == 0 && name != "Stdout" && name != "Stderr" {
			t.Errorf("no row has the field %s", name)
		}
		for _, r := range rows {
			both := r.Uses&Resumes != 0 && r.Uses&Merges != 0
			switch {
			case !r.ofRun() || r.Because != "" && !both:
			case r.Because != "":
				t.Errorf("-%s: the plan must not differ in it, but Because says %q", r.Name, r.Because)
			case r.Plan == nil || r.Uses&Resumes == 0:
				t.Errorf("-%s: -resume does not look at it, and Because is empty", r.Name)
			case !both && r.Name != "shard": // report:merge joins shards
				t.Errorf("-%s: report:merge does not look at it, and Because is empty", r.Name)
			}
		}
	}
}

func TestTable(t *testing.T) {
	for _, r := range Rows {
		if r.Doc == "" || strings.HasSuffix(r.Doc, ".") {
			t.Errorf("-%s: its help is %q", r.Name, r.Doc)
		}
		for _, target := range strings.Fields(r.In + " " + r.Not) {
			if _, ok := Find(target); !ok {
				t.Errorf("-%s: there is no target %s", r.Name, target)
			}
		}
	}
	for _, target := range Targets {
		seen := map[string]bool{}
		for _, r := range target.Rows() {
			if seen[r.Name] {
				t.Errorf("%s has two rows for -%s", target.Name, r.Name)
			}
			seen[r.Name] = true
		}
	}
}

// other returns v with another value of the row.
func (r Row) other(v Values) Values {
	switch at := r.At(&v).(type) {
	case *string:
		*at = "other"
	case *int:
		*at = 7
	case *time.Duration:
		*at = 7 * time.Second
	}
	return v
}

// What the plan holds of an option shows in the differences of two plans, and in the command that
// repeats the run.
func TestPlan(t *testing.T) {
	base := Values{}.WithDefaults()
	plan := func(v Values) *record.RunStart {
		s := new(record.RunStart)
		v.Plan(s)
		for _, r := range Rows {
			if r.Meant {
				*r.Plan(s).(*string) = *r.At(&v).(*string)
			}
		}
		return s
	}
	for _, r := range Rows {
		if r.Plan == nil {
			continue
		}
		a, b := plan(base), plan(r.other(base))
		for _, use := range []Use{Resumes, Merges, Compares} {
			got := strings.Join(Differ(a, b, use, "%s and %s"), "; ")
			if (got != "") != (r.Uses&use != 0) || got != "" && (!strings.HasPrefix(got, "-"+r.Name+": ") || strings.Contains(got, ";")) {
				t.Errorf("-%s, use %d: the plans differ in %q", r.Name, use, got)
			}
		}
		again := strings.TrimSpace(strings.Join(Repeat(b, strings.Fields(r.In)[0], nil), " "))
		want := "-" + r.Name + "=" + r.text(b)
		if r.Uses&Repeats == 0 {
			want = ""
		}
		if again != want {
			t.Errorf("-%s: it is repeated by %q, want %q", r.Name, again, want)
		}
	}
	if got := Differ(plan(base), plan(base), Resumes|Merges|Compares, "%s and %s"); got != nil {
		t.Errorf("a plan differs from itself: %q", got)
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		target string
		v      Values
		want   string
	}{
		{"bench:mock", Values{}, ""},
		{"bench:mock", Values{Repetitions: 2, Retries: 100, MaxDuration: time.Second, Drift: "strict"}, ""},
		{"bench:mock", Values{Repetitions: -1}, "-repetitions: is -1, want 1 to 100000"},
		{"bench:mock", Values{Retries: 101}, "-retries: is 101, want 0 to 100"},
		{"bench:mock", Values{Seed: -1}, "-seed: is -1, want 0 to 9007199254740992"},
		{"bench:mock", Values{MaxDuration: time.Microsecond}, "-maxDuration: is 1µs, want whole milliseconds: 1ms to 10m0s"},
		{"bench:mock", Values{MaxDuration: -time.Second}, "-maxDuration: is -1s, want whole milliseconds: 1ms to 10m0s"},
		{"bench:mock", Values{Drift: Accept}, `-drift: is "accept", want count, strict`},
		{"task:try", Values{Drift: Accept}, ""},
		{"bench:mock", Values{Adapter: "mock"}, "-adapter: bench:mock has no such option"},
		{"report:merge", Values{Join: "a", RunID: "b"}, ""},
		{"report:merge", Values{Runs: 3}, "-runs: report:merge has no such option"},
		{"doctor", Values{Judge: true}, "-judge: doctor has no such option"},
	} {
		target, _ := Find(test.target)
		got := ""
		if err := target.Check(test.v); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s %+v: %q, want %q", test.target, test.v, got, test.want)
		}
	}
}

// A random number is one of those that the option takes, and another each time.
func TestRandom(t *testing.T) {
	target, _ := Find("bench:mock")
	seen := map[int]bool{}
	for range 3 {
		var v Values
		if err := target.Set(&v, "-seed=random"); err != nil || v.Seed < 0 || v.Seed > 1<<53 {
			t.Errorf("drew %d, %v", v.Seed, err)
		}
		seen[v.Seed] = true
	}
	if len(seen) < 2 {
		t.Errorf("it drew only %v", seen)
	}
	if err := target.Set(new(Values), "-parallel=random"); err == nil {
		t.Error("-parallel took the word random")
	}
}
