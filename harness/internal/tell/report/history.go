package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// history says how the run came about. It is empty if every episode ran once, in one go.
func (f *Fold) history(r *Report) (lines []string) {
	if merged := f.ledger.Start.Merged; len(merged) > 0 {
		lines = append(lines, "joined from "+strings.Join(merged, ", "))
	}
	if n := len(f.ledger.Resumes); n > 0 {
		lines = append(lines, fmt.Sprintf("resumed %s", display.Times(n)))
	}
	for _, resume := range f.ledger.Resumes {
		if resume.Harness != f.ledger.Start.Harness {
			lines = append(lines, fmt.Sprintf("resumed by a build that may be another one: %s", resume.Harness))
		}
		if resume.Dropped > 0 {
			lines = append(lines, fmt.Sprintf("the last line of the event log was incomplete when the run was resumed; its %s were removed", display.Count(resume.Dropped, "byte")))
		}
	}
	var cutOff, void record.Names
	for _, e := range r.Episodes.All() {
		if e.Retries > 0 {
			void.Add(e.TaskID, e.Repetition)
		}
		if len(e.Attempts) > e.Retries {
			cutOff.Add(e.TaskID, e.Repetition)
		}
	}
	if names := cutOff.List(); names != nil {
		lines = append(lines, "cut off in the middle, and run again: "+Named(names))
	}
	if names := void.List(); names != nil {
		lines = append(lines, "void at first, and run again by -retries: "+Named(names))
	}
	return lines
}

// NotDone names the episodes that are missing, and says how to run them. It is empty if there
// is none.
func (r *Report) NotDone() string {
	if r.Missing == nil {
		return ""
	}
	return fmt.Sprintf("%s. Run the same command with -resume=%s.", Named(r.Missing), cmp.Or(r.Parity.Run, r.RunID))
}

// maxNamed is how many names a line shows.
const maxNamed = 10

// Named lists names of [record.Names] or of episodes, at most ten of them.
func Named(names []string) string {
	more := ""
	if n := len(names) - maxNamed; n > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}
