package stored

import (
	"context"
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// showEpisode prints one episode: why it did not pass, its contract, its steps, where it
// went another way than one that passed, its last page, and how to run it again.
func showEpisode(ctx context.Context, o option.Values, r *report.Report) error {
	e, err := find(r, o.Episode)
	if err != nil {
		return program.Usage(err)
	}
	passed := passedLike(ctx, o, r, e)
	parted := passed.parted(e)
	view := page.View{Alone: true, Out: o.Out, Pages: o.Out}
	view.Beside = compared(e, string(taskOf(r, e.TaskID).Contract), passed, parted)
	d := page.Episode(r, e, view)
	program.Print(o.Stdout, append([]page.Block{d.Verdict}, d.Blocks...)...)
	return nil
}

// maxListed is how many episodes an error names.
const maxListed = 10

// find returns the episode with a name. The name of a task stands for its first episode that
// did not pass, else its first.
func find(r *report.Report, name string) (*report.Episode, error) {
	var names, failed []string
	var ofTask *report.Episode
	for _, e := range r.Episodes.All() {
		if e.Name == name {
			return e, nil
		}
		if e.TaskID == name && (ofTask == nil || ofTask.Success && !e.Success) {
			ofTask = e
		}
		names = append(names, e.Name)
		if !e.Success {
			failed = append(failed, display.Visible(e.Name))
		}
	}
	if ofTask != nil {
		return ofTask, nil
	}
	which := "all its episodes passed"
	if n := len(failed); n > 0 {
		which = "these did not pass: " + strings.Join(failed[:min(n, maxListed)], ", ")
		if n > maxListed {
			which += fmt.Sprintf(" and %d more", n-maxListed)
		}
	}
	if len(names) == 0 {
		which = "none of its episodes has ended"
	}
	return nil, fmt.Errorf("run %s has no episode %s (%s)%s", display.Visible(r.RunID), display.Quote(name), which, display.DidYouMean(name, names))
}
