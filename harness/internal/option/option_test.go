package option

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
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
	}
	for _, target := range strings.Fields(drives + reads + " " + files + "doctor") {
		seen := map[string]bool{}
		for _, r := range Target(target).Rows() {
			if seen[r.Name] {
				t.Errorf("%s has two rows for -%s", target, r.Name)
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
		need.Is(t, fmt.Sprintf("-%s: it is repeated by", r.Name), want, again)
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
		got := ""
		if err := Target(test.target).Check(test.v); err != nil {
			got = err.Error()
		}
		need.Is(t, fmt.Sprintf("%s %+v", test.target, test.v), test.want, got)
	}
}

// A random number is one of those that the option takes, and another each time.
func TestRandom(t *testing.T) {
	target := Target("bench:mock")
	seen := map[int]bool{}
	for range 3 {
		v, err := target.Read([]string{"-seed=random"})
		if err != nil || v.Seed < 0 || v.Seed > 1<<53 {
			t.Errorf("drew %d, %v", v.Seed, err)
		}
		seen[v.Seed] = true
	}
	if len(seen) < 2 {
		t.Errorf("it drew only %v", seen)
	}
	if _, err := target.Read([]string{"-parallel=random"}); err == nil {
		t.Error("-parallel took the word random")
	}
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		target, args string
		want         Request
		err          string
	}{
		{"bench:mock", "-task=a -verbose", Request{Values: Values{Task: "a", Verbose: true}}, ""},
		{"bench:mock", "-task a -verbose", Request{Values: Values{Task: "a", Verbose: true}}, ""},
		{"bench:mock", "--task=--a --verbose=false", Request{Values: Values{Task: "--a"}}, ""},
		{"bench:mock", "-parallel=2 -maxDuration=5s", Request{Values: Values{Parallel: 2, MaxDuration: 5 * time.Second}}, ""},
		{"report:merge", "-runs=a,b -run=c", Request{Values: Values{Join: "a,b", RunID: "c"}}, ""},
		{"bench:mock", "-h", Request{Help: true}, ""},
		{"bench:mock", "-task=a --help -all", Request{Values: Values{Task: "a"}, Help: true, All: true}, ""},
		{"bench:mock", "-all -h", Request{Help: true, All: true}, ""},
		{"bench:mock", "-task=a example -seed=1", Request{Values: Values{Task: "a"}, More: "example"}, ""},
		{"bench:mock", "-- -seed=1", Request{More: "-seed=1"}, ""},
		{"bench:mock", "-all", Request{All: true}, `-all: bench:mock has no such option; see mage bench:mock -h -all; nothing was run`},
		{"bench:mock", "-tsak=a", Request{}, `-tsak: bench:mock has no such option; see mage bench:mock -h -all; nothing was run; did you mean "-task"?`},
		{"bench:mock", "--zzzzzz", Request{}, `-zzzzzz: bench:mock has no such option; see mage bench:mock -h -all; nothing was run`},
		{"bench:mock", "--openchrome=standin", Request{}, `-openchrome: it is -server now, because not every server is an OpenChrome; nothing was run`},
		{"bench:parity", "-subjects=standin", Request{}, `-subjects: it is -servers now, because not every server is an OpenChrome; nothing was run`},
		{"version", "-x=1", Request{}, `version takes no options, so -x is not allowed; nothing was run`},
		{"bench:mock", "-task", Request{}, `-task: needs a value, such as -task=<text>`},
		{"bench:mock", "-parallel=two", Request{}, `-parallel: is "two", want a whole number`},
		{"bench:mock", "-repetitions=0", Request{}, `-repetitions: is 0, want 1 to 100000`},
		{"bench:mock", "-parallel=65 -seed=-1 -tsak=a", Request{Values: Values{Parallel: 65, Seed: -1}}, "-parallel: is 65, want 1 to 64\n" +
			"-seed: is -1, want 0 to 9007199254740992\n" + `-tsak: bench:mock has no such option; see mage bench:mock -h -all; nothing was run; did you mean "-task"?`},
		{"bench:mock", "-maxDuration=5", Request{}, `-maxDuration: is "5", want a duration such as 30s or 1m30s`},
		{"bench:mock", "-verbose=maybe", Request{}, `-verbose: is "maybe", want true or false`},
		{"bench:mock", "-drift=strickt", Request{Values: Values{Drift: "strickt"}}, `-drift: is "strickt", want count, strict; did you mean "strict"?`},
		{"bench:mock", "-drift=accept", Request{Values: Values{Drift: "accept"}}, `-drift: is "accept", want count, strict`},
		{"bench:mock", "---x", Request{More: "---x"}, `bad flag syntax: ---x`},
	} {
		got, err := Target(test.target).Read(strings.Fields(test.args))
		if text := strings.TrimPrefix(fmt.Sprint(err), "<nil>"); text != test.err || got != test.want {
			t.Errorf("%s %s: %+v, %q, want %+v, %q", test.target, test.args, got, text, test.want, test.err)
		}
	}
}

// No argument makes the reader panic, and what it reads is allowed.
func FuzzRead(f *testing.F) {
	f.Add("bench:mock\x00-task=a\x00-h\x00-all")
	f.Add("report:merge\x00-runs=a\x00--run\x00own:target\x00-x")
	f.Add("task:try\x00-drift=accept\x00-seed=9999999999999999999\x00-maxDuration=1h1ns\x00-\x00--\x00=\x00")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		target := Target(args[0])
		if q, err := target.Read(args[1:]); err == nil && target.Check(q.Values) != nil {
			t.Errorf("%q was read, but: %v", line, target.Check(q.Values))
		} else if again, failed := target.Read(target.Args(q.Values)); err == nil && (failed != nil || again.Values != q.Values) {
			t.Errorf("%q is written as %q: %v", line, target.Args(q.Values), failed)
		}
	})
}
