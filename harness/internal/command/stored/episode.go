package stored

import (
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// showEpisode prints one episode: why it did not pass, its contract, its steps, its last page, and how to run it again.
func showEpisode(o option.Values, r *report.Report) error {
	e, err := find(r, o.Episode)
	if err != nil {
		return program.Usage(err)
	}
	d := page.Episode(r, e, page.View{Alone: true, Out: o.Out, Pages: o.Out})
	program.Print(o.Stdout, append([]page.Block{d.Verdict}, d.Blocks...)...)
	return nil
}

// find returns the episode with a name. The name of a task, or of one that ran under a single policy, stands for its
// first episode that did not pass, else its first.
func find(r *report.Report, name string) (*report.Episode, error) {
	var names, begin, failed []string
	var ofTask *report.Episode
	var policies bool // the task ran under several
	for _, e := range r.Episodes.All() {
		if e.Name == name {
			return e, nil
		}
		if e.TaskID == name || e.Of == name {
			policies = policies || ofTask != nil && ofTask.TaskID != e.TaskID
			if ofTask == nil || ofTask.Success && !e.Success {
				ofTask = e
			}
		}
		names = append(names, e.Name)
		if strings.HasPrefix(e.Name, name) {
			begin = append(begin, e.Name)
		}
		if !e.Success {
			failed = append(failed, e.Name)
		}
	}
	if ofTask != nil && !policies {
		return ofTask, nil
	}
	which := "all its episodes passed"
	switch {
	case names == nil:
		which = "none of its episodes has ended"
	case begin != nil:
		which = "these begin so: " + display.Visible(report.Named(begin))
	case failed != nil:
		which = "these did not pass: " + display.Visible(report.Named(failed))
	}
	return nil, fmt.Errorf("run %s has no episode %s (%s)%s", display.Visible(r.RunID), display.Quote(name), which, display.DidYouMean(name, names))
}
