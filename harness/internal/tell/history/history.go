// Package history says how servers changed from version to version: it puts runs into the order of their versions,
// and names what fell and what rose. Versions are compared as far as package compare allows it.
//
// Runs of one build that fit together are one version, with the episodes of all. A line of versions breaks where
// something else than the server changed.
package history

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// History is what runs say of their servers over time.
type History struct {
	Servers []*Server `json:"servers"` // the one with the most versions first
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	Unused  []string  `json:"unused,omitempty"` // the commits that changed nothing here, in words
}

// LeftOut is a run that does not fit, and why.
type LeftOut struct {
	Run    string `json:"run"`
	Reason string `json:"reason"`
}

// Server is a server with its versions.
type Server struct {
	Name     string     `json:"name"`
	Order    string     `json:"order"` // what the versions are ordered by, in words
	Versions []*Version `json:"versions"`
	// Changes are of a task from one version to the next that has it: the newest first, and of a version what fell.
	Changes []Change     `json:"changes"`
	Grid    compare.Grid `json:"-"`    // of the tasks that changed
	Same    int          `json:"same"` // in how many tasks no change was found

	kind  string // what all its runs have in common
	pairs map[[2]int]pair
}

// Version is a build of a server, in one or more runs.
type Version struct {
	Name     string   `json:"name"`
	Commit   string   `json:"commit,omitempty"`
	Date     string   `json:"date,omitempty"` // of the commit
	Runs     []string `json:"runs"`
	Breaks   []string `json:"breaks,omitempty"`  // why a line of figures begins here; empty: it goes on
	Changed  []string `json:"changed,omitempty"` // tasks that are not those of the version before, or their pages are not
	Took     float64  `json:"took,omitempty"`    // the time of an episode, as a multiple of Beside's; 0: it is not known
	Beside   string   `json:"beside,omitempty"`  // a version that it took turns with
	Families []Family `json:"families"`          // of all tasks, whose name is empty, then of each family

	build, number string
	runs          []*report.Report
	report        *report.Report  // all runs as one
	line          map[string]bool // the tasks that all versions of its line have, up to this one
}

// Change is a task that passed more or less often than in the version before.
type Change struct {
	Task   string `json:"task"`
	From   string `json:"from"` // a version
	To     string `json:"to"`
	Rose   bool   `json:"rose"`
	Why    string `json:"why"`    // how it failed
	Before [2]int `json:"before"` // passed, of the episodes that count
	After  [2]int `json:"after"`
	Sure   bool   `json:"sure"` // it passed always on one side and never on the other, three times or more on both
	Found  *Found `json:"found,omitempty"`
	// Episode shows it: one that failed, if there is one.
	Episode *report.Episode `json:"-"`

	to int // in the versions
}

// Found is the commit that made a change, as somebody found it, such as by git bisect.
type Found struct {
	Server  string `json:"server"`
	Task    string `json:"task"`
	From    string `json:"from"`
	To      string `json:"to"`
	Commit  string `json:"commit"`
	Subject string `json:"subject,omitempty"`
}

// A change is sure with at least so many repetitions, and a sentence names so many tasks of one kind.
const least, mostNamed = 3, 3

// Of makes the history of runs, in any order. A run that is there twice counts once.
func Of(runs []*report.Report, found []Found) (*History, error) {
	h := new(History)
	byBegin := func(a, b *report.Report) int {
		return cmp.Or(a.Began.Compare(b.Began), strings.Compare(a.RunID, b.RunID))
	}
	runs = slices.SortedStableFunc(slices.Values(runs), byBegin)
	for _, r := range slices.CompactFunc(runs, func(a, b *report.Report) bool { return byBegin(a, b) == 0 }) {
		if why := unfit(r); why != "" {
			h.LeftOut = append(h.LeftOut, LeftOut{r.RunID, why})
			continue
		}
		name, kind := compare.Title(r), kindOf(r)
		i := slices.IndexFunc(h.Servers, func(s *Server) bool { return s.Name == name && s.kind == kind })
		if i < 0 {
			i, h.Servers = len(h.Servers), append(h.Servers, &Server{Name: name, kind: kind, pairs: map[[2]int]pair{}})
		}
		h.Servers[i].add(r)
	}
	named := map[string]int{}
	for _, s := range h.Servers {
		named[s.Name]++
	}
	slices.SortStableFunc(h.Servers, func(a, b *Server) int { return len(b.Versions) - len(a.Versions) })
	for _, s := range h.Servers {
		for _, v := range s.Versions {
			if err := v.join(); err != nil {
				return nil, err
			}
		}
		if named[s.Name] > 1 {
			s.Name += " (" + s.kind + ")"
		}
		s.sort()
		s.lines()
		s.changes(found)
		s.figures()
	}
	for i, f := range found {
		made := func(c Change) bool { return c.Found == &found[i] }
		if !slices.ContainsFunc(h.Servers, func(s *Server) bool { return slices.ContainsFunc(s.Changes, made) }) {
			h.Unused = append(h.Unused, fmt.Sprintf("%s: %s of %s did not change from %s to %s", f.Commit, f.Task, f.Server, f.From, f.To))
		}
	}
	return h, nil
}

// kindOf is what runs must have in common to be compared, in words: runs of another kind are a history of their own.
func kindOf(r *report.Report) string {
	kind := r.Adapter
	if strings.HasPrefix(kind, report.PolicyAdapter) {
		kind = "policies"
	}
	return fmt.Sprintf("%s, seed %d, -drift=%s", kind, r.Seed, r.Drift)
}

// unfit says why a run is in no history; empty if it fits.
func unfit(r *report.Report) string {
	counts := func(e *report.Episode) bool { return e.Status.Class() != record.Void }
	switch {
	case r.Server == nil:
		return "no session started"
	case r.Agent != nil:
		return "an agent decided its calls, so chance moves them"
	case r.NotWhole() != "":
		return "it is not whole: " + r.NotWhole()
	case r.Episodes.Where(counts).Len() == 0:
		return "all of its episodes are void"
	}
	return ""
}

// add adds a run to the version that it is of.
func (s *Server) add(r *report.Report) {
	v := versionOf(r)
	for _, other := range s.Versions {
		apart := func(o *report.Report) bool { return !fits(o, r) }
		if other.build == v.build && !slices.ContainsFunc(other.runs, apart) {
			other.Runs, other.runs = append(other.Runs, r.RunID), append(other.runs, r)
			return
		}
	}
	s.Versions = append(s.Versions, v)
}

// fits reports whether two runs of a build can be taken for one. They need not have a task in common.
func fits(a, b *report.Report) bool {
	for host, pages := range a.Web.Hosts {
		if is, ok := b.Web.Hosts[host]; ok && is != pages {
			return false
		}
	}
	if (a.Web.Hosts == nil || b.Web.Hosts == nil) && a.Web.Digest != b.Web.Digest {
		return false
	}
	if share(a, b) {
		p := pairOf(a, b)
		return p.breaks == nil && p.changed == nil
	}
	digest := func(r *report.Report) string { return cmp.Or(r.Profile, new(record.Profile)).Digest }
	return a.Rules == b.Rules && a.Normaliser == b.Normaliser && digest(a) == digest(b)
}

// share reports whether two runs have a task in common.
func share(a, b *report.Report) bool {
	in := tasksOf(a)
	return slices.ContainsFunc(b.Tasks, func(t report.Task) bool { return in[t.ID] })
}

func versionOf(r *report.Report) *Version {
	p := cmp.Or(r.Package, new(record.Package))
	number := "v" + strings.TrimPrefix(cmp.Or(p.Version, r.Server.Version), "v")
	v := &Version{
		Name: cmp.Or(p.Describe, number), Commit: p.Commit, Date: p.Date, Runs: []string{r.RunID}, number: number,
		runs: []*report.Report{r},
	}
	if p.Dirty {
		v.Name += record.Dirty
	}
	v.build = strings.Join([]string{v.Name, v.Commit, r.Server.Package, r.Server.Version, r.Server.Chromium}, "\n")
	return v
}

// join makes one report of all runs, the newest first: a page links to its episodes. The repetitions count on, and
// the episodes keep their names.
func (v *Version) join() error {
	if v.report = v.runs[0]; len(v.runs) == 1 {
		return nil
	}
	all := *v.runs[0]
	all.Tasks, all.Episodes, all.Parity, all.Web.Hosts = nil, report.Episodes{}, record.Parity{}, map[string]string{}
	has, n, planned := map[string]bool{}, map[string]int{}, 0
	for _, r := range slices.Backward(v.runs) {
		maps.Copy(all.Web.Hosts, r.Web.Hosts)
		for _, t := range r.Tasks {
			if !has[t.ID] {
				has[t.ID], all.Tasks = true, append(all.Tasks, t)
			}
		}
		for _, e := range r.Episodes.All() {
			n[e.TaskID]++
			e.Repetition = n[e.TaskID]
			all.Episodes.Add(*e)
			planned++
		}
	}
	if slices.ContainsFunc(v.runs, func(r *report.Report) bool { return r.Web.Hosts == nil }) {
		all.Web.Hosts = nil // the whole web decides then
	}
	v.report = &all
	return all.AddUp(planned, 0)
}

// sort orders the versions by the dates of their commits, or else by their numbers, or else by when they ran.
func (s *Server) sort() {
	switch s.Order = "the time of their runs"; { // they are in the order of their runs already
	case !slices.ContainsFunc(s.Versions, func(v *Version) bool { return v.Date == "" }):
		s.Order = "the dates of their commits"
		slices.SortStableFunc(s.Versions, func(a, b *Version) int {
			return a.report.Package.Committed().Compare(b.report.Package.Committed())
		})
	case !slices.ContainsFunc(s.Versions, func(v *Version) bool { return !semver.IsValid(v.number) }):
		s.Order = "their numbers"
		slices.SortStableFunc(s.Versions, func(a, b *Version) int { return semver.Compare(a.number, b.number) })
	}
}

// pair is what two reports have in common.
type pair struct {
	same    map[string]bool // the tasks that can be compared
	changed []string        // the other ones that both have
	breaks  []string        // why nothing can be compared
}

func pairOf(a, b *report.Report) (p pair) {
	if !share(a, b) {
		return pair{breaks: []string{"they have no task in common"}}
	}
	same, refused := compare.Fit(a, b)
	if refused != nil {
		p.breaks = refused.Reasons
	}
	if a, b := a.Server.Chromium, b.Server.Chromium; a != b {
		words := fmt.Sprintf("the Chromium differs: %s before, now %s", cmp.Or(a, "none"), cmp.Or(b, "none"))
		p.breaks = append(p.breaks, words)
	}
	if a.Rules != b.Rules {
		p.breaks = append(p.breaks, fmt.Sprintf("false successes are by rules %d before, now %d", a.Rules, b.Rules))
	}
	if p.breaks == nil {
		p.same = same
		had := tasksOf(a)
		for _, t := range b.Tasks {
			if had[t.ID] && !same[t.ID] {
				p.changed = append(p.changed, t.ID)
			}
		}
	}
	return p
}

func tasksOf(r *report.Report) map[string]bool {
	ids := map[string]bool{}
	for _, t := range r.Tasks {
		ids[t.ID] = true
	}
	return ids
}

// lines finds the lines of versions whose figures can be compared: those of the tasks that all of them have, which are
// at least half of the tasks of the first and of each.
func (s *Server) lines() {
	first := s.Versions[0]
	first.line = tasksOf(first.report)
	for i, v := range s.Versions[1:] {
		before, has := s.Versions[i], tasksOf(v.report)
		p := pairOf(before.report, v.report)
		s.pairs[[2]int{i, i + 1}] = p
		v.Breaks, v.Changed, v.line = p.breaks, p.changed, maps.Clone(before.line)
		maps.DeleteFunc(v.line, func(id string, _ bool) bool { return !p.same[id] })
		if most := max(len(first.line), len(has)); v.Breaks == nil && 2*len(v.line) < most {
			v.Breaks = []string{fmt.Sprintf("only %d of %d tasks are the same", len(v.line), most)}
		}
		if v.Breaks != nil {
			first, v.line = v, has
		}
		s.took(i + 1)
	}
}

// took compares durations with the nearest version before that a run took turns with.
func (s *Server) took(i int) {
	v := s.Versions[i]
	for _, before := range slices.Backward(s.Versions[:i]) {
		for _, a := range before.runs {
			for _, b := range v.runs {
				if a.Parity.Run == "" || a.Parity != b.Parity {
					continue
				}
				c, err := compare.Compare(a, b, compare.Options{Interleaved: true})
				if err != nil || len(c.Tasks) == 0 {
					continue
				}
				if s := cmp.Or(c.Shifts[compare.Duration], c.Tasks[0].Shifts[compare.Duration]); s != nil && s.Relative.Value != 0 {
					v.Took, v.Beside = 1+s.Relative.Value, before.Name
					return
				}
			}
		}
	}
}

// changes compares each task with the version before that has it.
func (s *Server) changes(found []Found) {
	var names []string
	var all []*report.Report
	for _, v := range s.Versions {
		names, all = append(names, v.Name), append(all, v.report)
	}
	s.Grid = compare.GridOf(names, all...)
	rows := s.Grid.Rows
	s.Same, s.Grid.Rows = len(s.Grid.Alike), nil
	for _, row := range rows {
		before, last := len(s.Changes), -1
		for i, cell := range row.Cells {
			if cell.N() == 0 {
				continue
			}
			if last >= 0 && row.Cells[last].Rate() != cell.Rate() && s.same(row.ID, last, i) {
				s.Changes = append(s.Changes, s.change(row, last, i, found))
			}
			last = i
		}
		if len(s.Changes) > before {
			s.Grid.Rows = append(s.Grid.Rows, row)
		} else {
			s.Same++
		}
	}
	rank := func(c Change) int { return map[bool]int{false: 1}[c.Sure] + map[bool]int{true: 2}[c.Rose] }
	slices.SortStableFunc(s.Changes, func(a, b Change) int { return cmp.Or(b.to-a.to, rank(a)-rank(b)) })
}

// same reports whether a task can be compared between two versions.
func (s *Server) same(task string, from, to int) bool {
	both := [2]int{from, to}
	if _, ok := s.pairs[both]; !ok {
		s.pairs[both] = pairOf(s.Versions[from].report, s.Versions[to].report)
	}
	return s.pairs[both].same[task]
}

func (s *Server) change(row compare.GridRow, from, to int, found []Found) Change {
	was, is := row.Cells[from], row.Cells[to]
	c := Change{
		Task: row.ID, From: s.Versions[from].Name, To: s.Versions[to].Name, Rose: is.Rate() > was.Rate(), Episode: is.Episode,
		Before: [2]int{was.Passed, was.N()}, After: [2]int{is.Passed, is.N()}, to: to,
	}
	c.Sure = math.Abs(is.Rate()-was.Rate()) == 1 && min(was.N(), is.N()) >= least
	failed, of := is.Episode, s.Versions[to]
	if c.Rose {
		failed, of = was.Episode, s.Versions[from]
	}
	c.Why = cmp.Or(string(failed.Outcome), string(failed.Status))
	if untrue := why.Keep(of.report, failed).Untrue; len(untrue) > 0 {
		first, _, _ := strings.Cut(untrue[0].Word, ":")
		c.Why = first + " in " + untrue[0].Tool
	} else if len(failed.WrongSideEffects) > 0 {
		c.Why = string(report.WrongSideEffect)
	}
	for i, f := range found {
		if f.Server == s.Name && f.Task == c.Task && f.From == c.From && f.To == c.To {
			c.Found = &found[i]
		}
	}
	return c
}

// Verb is what the task did.
func (c Change) Verb() string { return map[bool]string{true: "rose", false: "fell"}[c.Rose] }

// Seen says why a change is not sure; empty if it is.
func (c Change) Seen() string {
	switch n := min(c.Before[1], c.After[1]); {
	case c.Sure:
		return ""
	case n < least:
		return "seen " + display.Times(n)
	}
	return "may be chance"
}

// words are such as "false success in form_input, by 21e0340".
func (c Change) words() string {
	words := c.Why
	if c.Rose {
		words = "before: " + words
	}
	if !c.Sure {
		words += ", " + c.Seen()
	}
	if c.Found != nil {
		words += ", by " + display.Visible(c.Found.Commit)
	}
	return words
}

// told is such as "form-types@ref fell (false success in form_input, by 21e0340)". Tasks of the same words are told
// together.
func told(changes []Change, rose bool) string {
	tasks := map[string][]string{}
	var order []string
	for _, c := range changes {
		if c.Rose == rose {
			words := fmt.Sprintf(" %s (%s)", c.Verb(), c.words())
			if tasks[words] == nil {
				order = append(order, words)
			}
			tasks[words] = append(tasks[words], c.Task)
		}
	}
	for i, words := range order {
		who := strings.Join(tasks[words], ", ")
		if n := len(tasks[words]); n > mostNamed {
			who = display.Count(n, "task")
		}
		order[i] = who + words
	}
	return cmp.Or(report.Named(order), "nothing "+Change{Rose: rose}.Verb())
}

// Sentence says what changed last, and whether later versions changed nothing.
func (s *Server) Sentence() string {
	n := len(s.Versions)
	breaks := func(from int) bool {
		return slices.ContainsFunc(s.Versions[from+1:], func(v *Version) bool { return v.Breaks != nil })
	}
	switch {
	case n == 1:
		return "only " + s.Versions[0].Name + ": there is nothing to compare it with"
	case len(s.Changes) == 0 && breaks(0):
		return "no task changed between versions that can be compared"
	case len(s.Changes) == 0:
		return fmt.Sprintf("since %s no task changed", s.Versions[0].Name)
	}
	last := s.Changes[0]
	newest := slices.DeleteFunc(slices.Clone(s.Changes), func(c Change) bool { return c.to != last.to })
	since := ", since " + last.From
	if slices.ContainsFunc(newest, func(c Change) bool { return c.From != last.From }) {
		since = ""
	}
	text := fmt.Sprintf("%s%s: %s; %s", last.To, since, told(newest, false), told(newest, true))
	switch head := s.Versions[n-1].Name; {
	case breaks(last.to):
		text = fmt.Sprintf("%s cannot be compared with %s; %s", head, last.To, text)
	case last.to < n-1:
		text = fmt.Sprintf("up to %s, no task rose or fell after %s; %s", head, last.To, text)
	}
	return text
}

// LastTwo are the last two versions as one report each, or why there are none to compare.
func (s *Server) LastTwo() (base, head *report.Report, names [2]string, why string) {
	n := len(s.Versions)
	switch {
	case n < 2:
		return nil, nil, names, "there is only " + s.Versions[0].Name
	case s.Versions[n-1].Breaks != nil:
		head := s.Versions[n-1]
		return nil, nil, names, fmt.Sprintf("%s and %s cannot be compared: %s", s.Versions[n-2].Name, head.Name, strings.Join(head.Breaks, "; "))
	}
	a, b := s.Versions[n-2], s.Versions[n-1]
	return a.report, b.report, [2]string{a.Name, b.Name}, ""
}
