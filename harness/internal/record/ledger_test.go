package record_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

func start(retries int) *record.RunStart {
	return &record.RunStart{
		SchemaVersion: record.SchemaVersion, RunID: "r", Episodes: 4, Options: record.Options{Repetitions: 2, Retries: retries},
		Plan: []record.Planned{{ID: "a", Task: "1", Contract: "2", Transcript: "3"}, {ID: "b", Task: "4", Contract: "5", Transcript: "6"}},
	}
}

func reset(task string, n, attempt int) record.Event {
	return record.Event{Episode: record.EpisodeName(task, n), Body: &record.Reset{Task: record.Task{ID: task}, Repetition: n, Attempt: attempt}}
}

func stop(name string, s record.Status) record.Event {
	return record.Event{Episode: name, Body: &record.Stop{Status: s}}
}

// An episode is done when its last attempt has a stop that counts.
func TestLedger(t *testing.T) {
	resume, end := record.Event{Body: &record.RunResume{}}, record.Event{Body: &record.RunEnd{}}
	for _, tt := range []struct {
		name    string
		retries int
		events  []record.Event
		missing []string
		err     string // of the last event
	}{
		{"nothing", 0, nil, []string{"a#1-2", "b#1-2"}, ""},
		{"one is done", 0, []record.Event{reset("a", 1, 0), stop("a#1", record.Failed)}, []string{"a#2", "b#1-2"}, ""},
		{"cut off", 0, []record.Event{reset("a", 1, 0), resume}, []string{"a#1-2", "b#1-2"}, ""},
		{"cut off and done", 0, []record.Event{reset("b", 2, 0), resume, reset("b", 2, 2), stop("b#2", record.Passed)}, []string{"a#1-2", "b#1"}, ""},
		{"interrupted", 0, []record.Event{reset("a", 2, 0), stop("a#2", record.Interrupted)}, []string{"a#1-2", "b#1-2"}, ""},
		{"interrupted and done", 0, []record.Event{reset("a", 2, 0), stop("a#2", record.Interrupted), end, resume, reset("a", 2, 2), stop("a#2", record.Passed)}, []string{"a#1", "b#1-2"}, ""},
		{"void counts without retries", 0, []record.Event{reset("a", 2, 0), stop("a#2", record.Inconclusive)}, []string{"a#1", "b#1-2"}, ""},
		{"void with a retry left", 1, []record.Event{reset("a", 2, 0), stop("a#2", record.Inconclusive)}, []string{"a#1-2", "b#1-2"}, ""},
		{"void with no retry left", 1, []record.Event{reset("a", 2, 0), stop("a#2", record.Inconclusive), reset("a", 2, 2), stop("a#2", record.AdapterError)}, []string{"a#1", "b#1-2"}, ""},
		{"a retry that was cut off is none", 1, []record.Event{reset("a", 2, 0), stop("a#2", record.Inconclusive), reset("a", 2, 2), resume, reset("a", 2, 3), stop("a#2", record.Inconclusive)}, []string{"a#1", "b#1-2"}, ""},

		{"all are done", 0, []record.Event{
			reset("a", 1, 0), stop("a#1", record.Passed), reset("a", 2, 0), stop("a#2", record.Failed),
			reset("b", 1, 0), stop("b#1", record.Inconclusive), reset("b", 2, 0), stop("b#2", record.MaxSteps),
		}, nil, ""},

		{"done is done", 0, []record.Event{reset("a", 1, 0), stop("a#1", record.Passed), reset("a", 1, 2)}, nil, `reset of "a#1", which is done`},
		{"failed is never run again", 5, []record.Event{reset("a", 1, 0), stop("a#1", record.Failed), reset("a", 1, 2)}, nil, `reset of "a#1", which is done`},
		{"an attempt is not numbered", 0, []record.Event{reset("a", 1, 0), reset("a", 1, 0)}, nil, `reset of "a#1" is attempt 1, want 2`},
		{"an attempt is missing", 0, []record.Event{reset("a", 1, 2)}, nil, `reset of "a#1" is attempt 2, want 1`},
		{"two stops", 0, []record.Event{reset("a", 1, 0), stop("a#1", record.Passed), stop("a#1", record.Passed)}, nil, `stop of "a#1" before its reset`},
		{"after the end", 0, []record.Event{end, reset("a", 1, 0)}, nil, `reset of "a#1" after run_end`},
		{"a task that is not planned", 0, []record.Event{reset("c", 1, 0)}, nil, `reset of "c#1", which is not planned`},
		{"a repetition that is not planned", 0, []record.Event{reset("a", 3, 0)}, nil, `reset of "a#3", which is not planned`},
		{"second start", 0, []record.Event{{Body: start(0)}}, nil, "second run_start in one log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var l record.Ledger
			var err error
			for _, e := range append([]record.Event{{Body: start(tt.retries)}}, tt.events...) {
				need.OK(t, err)
				err = l.Add(e)
			}
			if got := fmt.Sprint(err); tt.err != "" {
				need.Is(t, fmt.Sprintf("error %v", err), tt.err, got)
				return
			}
			if diff := cmp.Diff(tt.missing, l.Missing()); diff != "" || err != nil || l.Whole() != (tt.missing == nil) {
				t.Errorf("%v; whole %t, missing (-want +got):\n%s", err, l.Whole(), diff)
			}
			l.EachDone(func(name string) {
				if !l.Done(name) {
					t.Errorf("%s is not done", name)
				}
			})
		})
	}
	other := start(0)
	other.Shard = "2/2"
	var l record.Ledger
	need.OK(t, l.Add(record.Event{Body: other}))
	if err := l.Add(reset("a", 1, 0)); err == nil {
		t.Error("an episode of another shard was taken")
	}
	if err := new(record.Ledger).Add(stop("a#1", record.Passed)); err == nil {
		t.Error("a log without run_start was taken")
	}
}

// The shards of a plan have each episode once.
func TestShards(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 16} {
		var got []string
		for i := range n {
			s := start(0)
			s.Shard = record.Shard{I: i + 1, N: n}.String()
			k := 0
			planned, err := s.Planned()
			need.OK(t, err)
			s.Each(func(task record.Planned, repetition int) bool {
				name := record.EpisodeName(task.ID, repetition)
				if want := slices.Index([]string{"a#1", "a#2", "b#1", "b#2"}, name); want%n != i {
					t.Errorf("shard %s has %s", s.Shard, name)
				}
				got = append(got, name)
				k++
				return true
			})
			need.Is(t, "planned in shard "+s.Shard, k, planned)
		}
		slices.Sort(got)
		need.Equal(t, fmt.Sprintf("%d shards", n), []string{"a#1", "a#2", "b#1", "b#2"}, got)
	}
	for _, bad := range []string{"1", "0/2", "3/2", "-1/2", "1/0", "a/b", "1/2/3", "1/10001", " 1/2", "/"} {
		if s, err := record.ParseShard(bad); err == nil {
			t.Errorf("%q is shard %s", bad, s)
		}
	}
	if s, err := record.ParseShard(""); err != nil || s.String() != "" || !s.Has(5) {
		t.Errorf("the empty shard is %q, %v", s, err)
	}
}

func TestDifferences(t *testing.T) {
	for want, change := range map[string]func(*record.RunStart){
		"":                                    func(s *record.RunStart) { s.Options.Parallel, s.RunID, s.Host.CPUs, s.Shard = 9, "x", 99, "1/2" },
		"the pages of the fixture web differ": func(s *record.RunStart) { s.Web.Digest = "x" },
		"the packages of the servers differ":  func(s *record.RunStart) { s.PackageDigest = "x" },
		"the profiles of toy differ":          func(s *record.RunStart) { s.Profile = &record.Profile{Server: "toy", Digest: "1"} },
		"notes: none and n":                   func(s *record.RunStart) { s.Notes = []string{"n"} },
		"task b: the task files differ":       func(s *record.RunStart) { s.Plan[1].Task = "x" },
		"task b: the contracts differ":        func(s *record.RunStart) { s.Plan[1].Contract = "x" },
		"task a: the transcripts differ":      func(s *record.RunStart) { s.Plan[0].Transcript = "x" },
		"task b is only in the first":         func(s *record.RunStart) { s.Plan = s.Plan[:1] },
		"task c is only in the second":        func(s *record.RunStart) { s.Plan = append(s.Plan, record.Planned{ID: "c"}) },
		"the order of the tasks differs":      func(s *record.RunStart) { slices.Reverse(s.Plan) },
	} {
		other := start(0)
		change(other)
		if got := strings.Join(start(0).Differences(other), "; "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNames(t *testing.T) {
	var n record.Names
	for i := range 5 {
		if i != 2 {
			n.Add("a", i+1)
		}
	}
	n.Add("b", 7)
	need.Equal(t, "", []string{"a#1-2,4-5", "b#7"}, n.List())
}

func TestPolicyID(t *testing.T) {
	for _, tt := range []struct {
		id, of, policy string
		valid          bool
	}{
		{"a", "", "", true}, {"a@form", "", "", false}, {"..", "", "", false}, {"a/b", "", "", false},
		{record.PolicyID("a-b", "form"), "a-b", "form", true}, {"a@form+check", "a", "form+check", true},
		{"a@form", "b", "form", false}, {"a@form", "a", "ref", false}, {"a@form", "a", "", false},
		{"a@", "a", "", false}, {"@form", "", "form", false}, {"a@form+", "a", "form+", false},
		{"a@b@c", "a@b", "c", false}, {"a@../b", "a", "../b", false}, {"../a@b", "../a", "b", false},
	} {
		under := record.Under{Of: tt.of, Policy: tt.policy}
		start := &record.RunStart{SchemaVersion: record.SchemaVersion, RunID: "r", Options: record.Options{Repetitions: 1}}
		var l record.Ledger
		need.OK(t, l.Add(record.Event{Body: start}))
		task := record.Task{ID: tt.id, Under: under}
		inReset := l.Add(record.Event{Episode: tt.id + "#1", Body: &record.Reset{Task: task, Repetition: 1}})
		start.Plan = []record.Planned{{ID: tt.id, Under: under}}
		inPlan := new(record.Ledger).Add(record.Event{Body: start})
		if (inPlan == nil) != tt.valid || (inReset == nil) != tt.valid {
			t.Errorf("%s of %+v: in a plan %v, in a reset %v, want it valid: %t", tt.id, under, inPlan, inReset, tt.valid)
		}
	}
}
