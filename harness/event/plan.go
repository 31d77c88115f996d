package event

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Planned is a task of a plan. Two runs whose digests are equal have the same task. With a
// private draw, the digests depend on its key, so that nobody can guess a value and check it.
type Planned struct {
	ID         string `json:"id"`
	Task       string `json:"task"`                 // digest of the task as drawn and of its files, without the contract
	Contract   string `json:"contract"`             // digest of the contract as drawn
	Transcript string `json:"transcript,omitempty"` // as in [Task]
}

// Shard is one of N equal shares of a plan, from 1 to N. Episode k of the plan, counted from
// 0, is in shard k mod N + 1. The zero value is the whole plan.
type Shard struct{ I, N int }

// MaxShards is the largest number of shards, and MaxRepetitions of repetitions.
const (
	MaxShards      = 10_000
	MaxRepetitions = 100_000
)

// ParseShard reads a shard such as 2/7; empty is the whole plan.
func ParseShard(s string) (Shard, error) {
	if s == "" {
		return Shard{}, nil
	}
	i, n, _ := strings.Cut(s, "/")
	var sh Shard
	var err, err2 error
	sh.I, err = strconv.Atoi(i)
	sh.N, err2 = strconv.Atoi(n)
	if err != nil || err2 != nil || sh.I < 1 || sh.N > MaxShards || sh.I > sh.N {
		return Shard{}, fmt.Errorf("shard is %q, want i/n with i from 1 to n and n up to %d, such as 2/7", s, MaxShards)
	}
	return sh, nil
}

// String writes the shard as [ParseShard] reads it.
func (s Shard) String() string {
	if s.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.I, s.N)
}

// Has reports whether episode k of the plan, counted from 0, is in the shard.
func (s Shard) Has(k int) bool { return s.N == 0 || k%s.N == s.I-1 }

// Each calls yield with the episodes that the log is meant to hold, in the order of the
// plan, until yield returns false.
func (s *RunStart) Each(yield func(task Planned, repetition int) bool) {
	shard, _ := ParseShard(s.Shard) // [Ledger.Add] checks it
	k := 0
	for _, t := range s.Plan {
		for n := 1; n <= s.Options.Repetitions; n++ {
			if shard.Has(k) && !yield(t, n) {
				return
			}
			k++
		}
	}
}

// Differences says in words how two plans differ: nil if the same episodes would have the
// same results. The shards may differ, and so may all that no result depends on, such as
// -parallel and the machine.
func (s *RunStart) Differences(other *RunStart) []string {
	var list []string
	named := func(v any) any {
		if v == "" {
			return "none"
		}
		return v
	}
	differ := func(what string, a, b any) {
		if a != b {
			list = append(list, fmt.Sprintf("%s: %v and %v", what, named(a), named(b)))
		}
	}
	a, b := s.Options, other.Options
	differ("launcher", s.Launcher, other.Launcher)
	differ("adapter", s.Adapter, other.Adapter)
	differ("web", s.Web.Mode, other.Web.Mode)
	if s.Web.Digest != other.Web.Digest {
		list = append(list, "the pages of the fixture web differ")
	}
	if s.PackageDigest != other.PackageDigest {
		list = append(list, "the server's packages differ")
	}
	differ("repetitions", a.Repetitions, b.Repetitions)
	differ("maxSteps", a.MaxSteps, b.MaxSteps)
	differ("maxDuration in ms", a.MaxDurationMs, b.MaxDurationMs)
	differ("path", a.Path, b.Path)
	differ("seed", a.Seed, b.Seed)
	differ("fingerprint of the seed key", a.SeedKey, b.SeedKey)
	differ("drift", a.Drift, b.Drift)
	differ("retries", a.Retries, b.Retries)
	differ("notes", strings.Join(s.Notes, "; "), strings.Join(other.Notes, "; "))
	return append(list, tasksDiffer(s.Plan, other.Plan)...)
}

func tasksDiffer(a, b []Planned) (list []string) {
	ids := func(plan []Planned) (ids []string) {
		for _, t := range plan {
			ids = append(ids, t.ID)
		}
		return ids
	}
	for _, x := range a {
		i := slices.IndexFunc(b, func(y Planned) bool { return x.ID == y.ID })
		if i < 0 {
			list = append(list, fmt.Sprintf("task %s is only in the first", x.ID))
			continue
		}
		for _, part := range []struct{ what, a, b string }{
			{"task file", x.Task, b[i].Task}, {"contract", x.Contract, b[i].Contract}, {"transcript", x.Transcript, b[i].Transcript},
		} {
			if part.a != part.b {
				list = append(list, fmt.Sprintf("task %s: the %ss differ", x.ID, part.what))
			}
		}
	}
	for _, y := range b {
		if !slices.ContainsFunc(a, func(x Planned) bool { return x.ID == y.ID }) {
			list = append(list, fmt.Sprintf("task %s is only in the second", y.ID))
		}
	}
	if list == nil && !slices.Equal(ids(a), ids(b)) {
		list = append(list, "the order of the tasks differs")
	}
	return list
}
