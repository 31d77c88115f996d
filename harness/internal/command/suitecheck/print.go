package suitecheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// status shows which check of a task begins.
func (s *suite) status(id, check string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.Status(fmt.Sprintf("%s; checking %s: %s", s.progress.Words(len(s.ids), time.Now()), id, check))
}

// done prints what was found about a task.
func (s *suite) done(r result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, r)
	class, verdict := r.verdict()
	var words []page.Part
	var problems page.List
	for _, c := range s.checks {
		f := r.findings[c.name]
		if f.skipped != "" {
			continue
		}
		words = append(words, f.words(c.name))
		for _, problem := range f.failures() {
			problems.Add(c.name, ": ", problem)
		}
	}
	if r.defect != "" {
		problems.Add(page.In(page.Faint, "known defect: "+r.defect))
	}
	var line page.List
	*line.Add(page.In(page.Tone(class), fmt.Sprintf("%-10s", verdict)), " ", r.task, "  ", listed(words)) = problems
	s.out.Show(line)
	s.progress.End(class, time.Now())
	if !s.out.Terminal() && s.progress.Due(len(s.ids), time.Now()) {
		s.out.Say(s.progress.Words(len(s.ids), time.Now()))
	}
}

func (r result) verdict() (record.Class, string) {
	switch {
	case r.failed():
		return record.Fail, "not proved"
	case r.defect != "":
		return record.Void, "known defect"
	case r.proved():
		return record.Pass, "proved"
	}
	return record.Pass, "passed"
}

// words are what the line of a task says of a check.
func (f finding) words(name string) page.Part {
	word, tone := name, page.Plain
	switch {
	case f.exempt:
		word += " exempt"
	case f.detail != "":
		word += " " + f.detail
	}
	if f.refused > 0 {
		word += fmt.Sprintf(" (%d more need a real browser)", f.refused)
	}
	if f.failed() {
		tone = page.Fail
	}
	return page.In(tone, word)
}

// listed puts commas between texts, each of which a writer may cut.
func listed[T string | page.Part](all []T) (t page.Text) {
	for i, one := range all {
		if i > 0 {
			t = append(t, page.In(page.Plain, ", "))
		}
		t = append(t, page.Say(one)...)
	}
	return t
}

// counts says how many tasks have each verdict.
func (s *suite) counts() string {
	of := make(map[string]int)
	for _, r := range s.results {
		_, verdict := r.verdict()
		of[verdict]++
	}
	var words []string
	for _, verdict := range slices.Sorted(maps.Keys(of)) {
		words = append(words, fmt.Sprintf("%d %s", of[verdict], verdict))
	}
	return strings.Join(words, ", ")
}

// summary prints what came of each check, and what to do. The error is the verdict, unless that is good.
func (s *suite) summary(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.results, func(a, b result) int { return strings.Compare(a.task, b.task) })
	var list page.List
	var failedChecks []string
	missing := names()
	for _, c := range s.checks {
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == c.name })
		if s.total(&list, c) {
			failedChecks = append(failedChecks, c.name)
		}
	}
	few := false
	killed, all := 0, 0
	for _, r := range s.results {
		f := r.findings["mutants"]
		killed, all = killed+f.killed, all+f.killed+f.survivors
	}
	if all > 0 {
		share := float64(killed) / float64(all)
		few = share < killShare && len(s.results) >= killTasks
		list.Add(fmt.Sprintf("mutants    %d of %d killed, %.1f %%; at least %.0f %% are wanted",
			killed, all, 100*share, 100*killShare))
	}
	if len(missing) > 0 {
		list.Add("not run: ", listed(missing))
	}
	defects := s.tasks(result.isDefect)
	if defects != nil {
		list.Add("known defects, without an oracle: ", listed(defects))
	}
	s.out.Show(page.Text{}, list)
	failed := s.tasks(result.failed)
	tasks := display.Count(len(s.ids), "task")
	switch {
	case ctx.Err() != nil:
		done := s.tasks(func(r result) bool { return !r.failed() })
		left := slices.DeleteFunc(slices.Clone(s.ids), func(id string) bool { return slices.Contains(done, id) })
		s.again(left, s.options.Check)
		err := fmt.Errorf("NOT FINISHED: %d of %s checked", len(s.results), tasks)
		return &program.ExitError{Code: program.ExitInterrupted, Err: err}
	case failed != nil:
		s.again(failed, strings.Join(failedChecks, ","))
		err := fmt.Errorf("FAILED: %d of %s not proved", len(failed), tasks)
		return &program.ExitError{Code: program.ExitFailed, Err: err}
	case few:
		err := errors.New("FAILED: too many mutants survive; sign-offs do not count")
		return &program.ExitError{Code: program.ExitFailed, Err: err}
	}
	class, word := record.Pass, "PASSED"
	if len(defects) == len(s.results) {
		class, word = record.Void, "KNOWN DEFECTS"
	}
	s.out.Verdict(class, word, s.counts())
	return nil
}

// again prints the command that makes checks of tasks again.
func (s *suite) again(ids []string, checks string) {
	o := s.options
	s.out.Line("again      %s", display.Visible(display.Command(display.Program, "suite:check",
		"-task="+strings.Join(ids, ","), display.Setting("check", checks, ""),
		display.Setting("server", o.Server, "auto"), display.Setting("package", o.Package, ""),
		display.Setting("tasks", o.Tasks, ""), display.Setting("sites", o.Sites, ""),
		display.Setting("seed", strconv.Itoa(o.Seed), "0"),
		display.Setting("repetitions", strconv.Itoa(o.Repetitions), strconv.Itoa(repetitions)),
		"-parallel="+strconv.Itoa(o.Parallel))))
}

// total says how many tasks pass a check, and what to do about the others. It reports
// whether any task fails.
func (s *suite) total(list *page.List, c check) (failed bool) {
	failures := s.tasks(func(r result) bool { return r.findings[c.name].failed() })
	ran, exempt := 0, 0
	skipped := make(map[string]int)
	for _, r := range s.results {
		switch f := r.findings[c.name]; {
		case f.skipped != "":
			skipped[f.skipped]++
		case f.exempt && !f.failed():
			exempt++
		default:
			ran++
		}
	}
	line := fmt.Sprintf("%-10s %d of %d", c.name, ran-len(failures), ran)
	if exempt > 0 {
		line += fmt.Sprintf(", %d exempt", exempt)
	}
	for _, why := range slices.Sorted(maps.Keys(skipped)) {
		line += fmt.Sprintf("; not run on %s: %s", display.Count(skipped[why], "task"), why)
	}
	under := list.Add(line)
	if failures != nil {
		under.Add("failed: ", listed(failures))
		under.Add("to do: ", c.advice)
	}
	return failures != nil
}

func (s *suite) tasks(which func(result) bool) (ids []string) {
	for _, r := range s.results {
		if which(r) {
			ids = append(ids, r.task)
		}
	}
	return ids
}
