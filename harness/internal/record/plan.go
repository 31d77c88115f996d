package record

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Planned is a task of a plan. Two runs whose digests are equal have the same task.
type Planned struct {
	ID string `json:"id"`
	Under
	Task       string `json:"task"`                 // digest of the task as drawn and of its files, without the contract
	Contract   string `json:"contract"`             // digest of the contract as drawn
	Transcript string `json:"transcript,omitempty"` // as in [Task]
	// Content is a digest of everything that a result depends on, except the transcript:
	// the task without its title, tags and mechanics, its contract and its files, as drawn.
	Content string `json:"content,omitempty"`
	// Hosts are the hosts that the task lists: that of its start page, and those that show its values.
	Hosts []string `json:"hosts,omitempty"`
}

// HostsOf returns hosts and the hosts of URLs, sorted, each once.
func HostsOf(hosts []string, urls ...string) []string {
	hosts = slices.Clone(hosts)
	for _, s := range urls {
		if u, err := url.Parse(s); err == nil && u.Hostname() != "" {
			hosts = append(hosts, strings.ToLower(u.Hostname()))
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// PlannedAgent is the agent that decides the calls of a run. Two runs whose agents differ are
// not of one plan.
type PlannedAgent struct {
	Name    string `json:"name"`
	Preset  bool   `json:"preset,omitempty"`  // it is one of ours, with this name
	Version string `json:"version,omitempty"` // empty: unknown
	Model   string `json:"model,omitempty"`   // that was asked for; empty: unknown
	Command string `json:"command"`           // digest of the command line, which can hold a key; empty: it is of another module
	Prompt  string `json:"prompt"`            // digest of the text around the goal of a task; empty: unknown
	// Confinement says what confined the agent. With "none" it could see and write everything
	// that the user can.
	Confinement string `json:"confinement"`
}

// Parity is a call of bench:parity. The zero value is none.
type Parity struct {
	Run     string `json:"run"`     // its name, which -resume takes; the runs of the servers add -1, -2 and so on
	Servers int    `json:"servers"` // how many take turns
}

// Shard is one of N equal shares of a plan, from 1 to N. Episode k of the plan, counted from
// 0, is in shard k mod N + 1. The zero value is the whole plan.
type Shard struct{ I, N int }

// The largest numbers of shards, of repetitions, and of the episodes of a plan.
const (
	MaxShards      = 10_000
	MaxRepetitions = 100_000
	MaxEpisodes    = 1_000_000
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
		return Shard{}, fmt.Errorf("is %q, want i/n with i from 1 to n and n up to %d, such as 2/7", s, MaxShards)
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

// Planned is how many episodes the log is meant to hold. The error says that the plan has more
// than [MaxEpisodes].
func (s *RunStart) Planned() (int, error) {
	tasks, n := len(s.Plan), s.Options.Repetitions
	if n > 0 && tasks > MaxEpisodes/n {
		return 0, fmt.Errorf("%d tasks with %d repetitions are more than %d episodes", tasks, n, MaxEpisodes)
	}
	all := tasks * n
	shard, _ := ParseShard(s.Shard) // [Ledger.Add] checks it
	if shard.N > 0 {
		all = (all - shard.I + shard.N) / shard.N
	}
	return all, nil
}

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

// Differences says in words how two plans differ, apart from their options, which package
// option compares: nil if the same episodes would have the same results.
func (s *RunStart) Differences(other *RunStart) []string {
	var list []string
	if s.Web.Digest != other.Web.Digest {
		list = append(list, "the pages of the fixture web differ")
	}
	if s.PackageDigest != other.PackageDigest {
		list = append(list, "the packages of the servers differ")
	}
	if a, b := cmp.Or(s.Profile, new(Profile)), cmp.Or(other.Profile, new(Profile)); a.Digest != b.Digest {
		list = append(list, fmt.Sprintf("the profiles of %s differ", cmp.Or(a.Server, b.Server)))
	}
	if a, b := strings.Join(s.Notes, "; "), strings.Join(other.Notes, "; "); a != b {
		list = append(list, fmt.Sprintf("notes: %s and %s", cmp.Or(a, "none"), cmp.Or(b, "none")))
	}
	if a, b := s.Parity, other.Parity; a != b {
		list = append(list, fmt.Sprintf("bench:parity: %s with %d servers, and %s with %d", cmp.Or(a.Run, "none"), a.Servers, cmp.Or(b.Run, "none"), b.Servers))
	}
	list = append(list, s.Agent.Differ(other.Agent)...)
	if words, certain := s.Harness.Differs(other.Harness); certain {
		list = append(list, words)
	}
	return append(list, tasksDiffer(s.Plan, other.Plan)...)
}

// Differ says how two agents differ; nil stands for none.
func (a *PlannedAgent) Differ(b *PlannedAgent) (list []string) {
	var x, y PlannedAgent
	if a != nil {
		x = *a
	}
	if b != nil {
		y = *b
	}
	for _, part := range []struct{ what, a, b string }{
		{"name", x.Name, y.Name}, {"version", x.Version, y.Version}, {"model", x.Model, y.Model},
		{"command line", x.Command, y.Command}, {"prompt", x.Prompt, y.Prompt}, {"confinement", x.Confinement, y.Confinement},
	} {
		if part.a != part.b {
			list = append(list, fmt.Sprintf("the agent's %s: %s and %s", part.what, cmp.Or(part.a, "none"), cmp.Or(part.b, "none")))
		}
	}
	return list
}

func tasksDiffer(a, b []Planned) (list []string) {
	byID := func(plan []Planned) map[string]Planned {
		tasks := make(map[string]Planned, len(plan))
		for _, t := range plan {
			tasks[t.ID] = t
		}
		return tasks
	}
	inA, inB := byID(a), byID(b)
	for _, x := range a {
		y, ok := inB[x.ID]
		if !ok {
			list = append(list, fmt.Sprintf("task %s is only in the first", x.ID))
			continue
		}
		for _, part := range []struct{ what, a, b string }{
			{"task file", x.Task, y.Task}, {"contract", x.Contract, y.Contract}, {"transcript", x.Transcript, y.Transcript},
		} {
			if part.a != part.b {
				list = append(list, fmt.Sprintf("task %s: the %ss differ", x.ID, part.what))
			}
		}
	}
	for _, y := range b {
		if _, ok := inA[y.ID]; !ok {
			list = append(list, fmt.Sprintf("task %s is only in the second", y.ID))
		}
	}
	sameID := func(x, y Planned) bool { return x.ID == y.ID }
	if list == nil && !slices.EqualFunc(a, b, sameID) {
		list = append(list, "the order of the tasks differs")
	}
	return list
}
