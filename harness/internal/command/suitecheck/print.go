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
	"github.com/openchrome/bench/harness/internal/text/display"
)

// status shows which check of a task runs; "" means that the task is done.
func (s *suite) status(id, check string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doing[id] = check; check == "" {
		delete(s.doing, id)
	}
	words := s.progress.Words(len(s.ids), time.Now())
	if ids := slices.Sorted(maps.Keys(s.doing)); len(ids) > 0 {
		words += fmt.Sprintf("; checking %s: %s", ids[0], s.doing[ids[0]])
	}
	s.out.Status(words)
}

func (s *suite) done(r result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, r)
	var words, problems, remarks []string
	for _, c := range s.checks {
		f := r.findings[c.name]
		word := c.name
		switch {
		case f.skipped != "":
			continue
		case f.exempt:
			word += " exempt"
		case f.detail != "":
			word += " " + f.detail
		}
		if f.failed() {
			word = s.out.Class(record.Fail, word)
			for _, problem := range f.failures() {
				problems = append(problems, c.name+": "+problem)
			}
		}
		words = append(words, word)
		remarks = append(remarks, f.remarks...)
	}
	class, verdict := record.Pass, "passed    "
	switch {
	case r.failed():
		class, verdict = record.Fail, "not proved"
	case r.defect != "":
		class, verdict = record.Void, "known defect"
	case r.proved():
		verdict = "proved    "
	}
	s.out.Line("%s %s  %s", s.out.Class(class, verdict), r.task, strings.Join(words, ", "))
	for _, problem := range problems {
		s.out.Line("             %s", display.Visible(problem))
	}
	if r.defect != "" {
		remarks = append(remarks, "known defect: "+r.defect)
	}
	for _, remark := range remarks {
		s.out.Say("             " + display.Visible(remark))
	}
	s.progress.End(class, time.Now())
	if !s.out.Terminal() && s.progress.Due(len(s.ids), time.Now()) {
		s.out.Say(s.progress.Words(len(s.ids), time.Now()))
	}
}

// passed says in words how many tasks are proved, how many passed some of the checks, and
// how many are known defects.
func (s *suite) passed() string {
	var words []string
	if n := len(s.tasks(func(r result) bool { return r.defect == "" && r.proved() })); n > 0 {
		words = append(words, display.Count(n, "task")+" proved")
	}
	part, least, most := 0, len(checks), 0
	for _, r := range s.results {
		if r.defect == "" && !r.proved() {
			part, least, most = part+1, min(least, r.made()), max(most, r.made())
		}
	}
	if part > 0 {
		made := strconv.Itoa(most)
		if least < most {
			made = fmt.Sprintf("%d to %d", least, most)
		}
		words = append(words, fmt.Sprintf("%s passed %s of %d checks", display.Count(part, "task"), made, len(checks)))
	}
	if n := len(s.tasks(func(r result) bool { return r.defect != "" })); n > 0 {
		words = append(words, display.Count(n, "known defect"))
	}
	return strings.Join(words, ", ")
}

func (s *suite) summary(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.results, func(a, b result) int { return strings.Compare(a.task, b.task) })
	s.out.Line("")
	var failedChecks []string
	for _, c := range s.checks {
		if s.total(c) {
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
		s.out.Line("mutants    %d of %d killed, %.1f %%; at least %.0f %% are wanted", killed, all, 100*share, 100*killShare)
	}
	var missing []string
	for _, name := range names() {
		if !slices.ContainsFunc(s.checks, func(c check) bool { return c.name == name }) {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		s.out.Line("not run: %s", strings.Join(missing, ", "))
	}
	isDefect := func(r result) bool { return r.defect != "" }
	if ids := s.tasks(isDefect); ids != nil {
		s.out.Line("known defects, without an oracle: %s", strings.Join(ids, ", "))
	}
	failed := s.tasks(result.failed)
	tasks := display.Count(len(s.ids), "task")
	switch {
	case ctx.Err() != nil:
		done := s.tasks(func(r result) bool { return !r.failed() })
		s.again(slices.DeleteFunc(slices.Clone(s.ids), func(id string) bool { return slices.Contains(done, id) }), s.options.Check)
		return &program.ExitError{Code: program.ExitInterrupted, Err: fmt.Errorf("NOT FINISHED: %d of %s checked", len(s.results), tasks)}
	case failed != nil:
		s.again(failed, strings.Join(failedChecks, ","))
		return &program.ExitError{Code: program.ExitFailed, Err: fmt.Errorf("FAILED: %d of %s not proved", len(failed), tasks)}
	case few:
		return &program.ExitError{Code: program.ExitFailed, Err: errors.New("FAILED: too many mutants survive; sign-offs do not count")}
	}
	class, word := record.Pass, "PASSED"
	if len(s.tasks(isDefect)) == len(s.results) {
		class, word = record.Void, "KNOWN DEFECTS"
	}
	s.out.Verdict(class, word, s.passed())
	return nil
}

func (s *suite) again(ids []string, checks string) {
	o := s.options
	s.out.Line("again      %s", display.Visible(display.Command(display.Program, "suite:check", "-task="+strings.Join(ids, ","), display.Setting("check", checks, ""),
		display.Setting("server", o.Server, "auto"), display.Setting("package", o.Package, ""), display.Setting("tasks", o.Tasks, ""), display.Setting("sites", o.Sites, ""),
		display.Setting("seed", strconv.Itoa(o.Seed), "0"), display.Setting("repetitions", strconv.Itoa(o.Repetitions), strconv.Itoa(repetitions)), "-parallel="+strconv.Itoa(o.Parallel))))
}

// total prints how many tasks pass a check, and what to do about the others. It reports
// whether any task fails.
func (s *suite) total(c check) (failed bool) {
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
	s.out.Line("%s", line)
	if failures != nil {
		s.out.Line("           failed: %s", strings.Join(failures, ", "))
		s.out.Line("           to do: %s", c.advice)
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
