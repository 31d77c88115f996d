package trials

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/tell/why"
)

// cost is what a server needed for an episode, in addition to the figures of the report.
type cost struct {
	words  record.Words // words of the pages that it read
	memory int64        // memory of the server, in bytes; 0: unknown
	tools  int          // tokens of the list of tools; 0: unknown
}

func readCosts(ctx context.Context, file string) (map[string]*cost, error) {
	costs := map[string]*cost{}
	_, err := eventlog.ReadFile(ctx, file, func(e record.Event) error {
		if e.Episode == "" {
			return nil
		}
		c := costs[e.Episode]
		if e.Body.Type() == record.TypeReset { // of earlier attempts nothing counts
			c = new(cost)
			costs[e.Episode] = c
		}
		switch b := e.Body.(type) {
		case *record.Reset:
			if b.ToolSize != nil {
				c.tools = b.ToolSize.O200k
			}
		case *record.Progress:
			if b.Words != nil {
				c.words.Page += b.Words.Page
				c.words.Held += b.Words.Held
			}
		case *record.Stop:
			c.memory = b.ServerMemory
		}
		return nil
	})
	return costs, err
}

// serverTable returns a row for each server, by its name. Its columns can be compared fairly between
// different servers.
func serverTable(all []*contestant, grid compare.Grid) compare.Table {
	table := compare.Table{Header: []string{"server", "passed", "calls", "tokens of answers", "words held",
		"tokens of tools", "time (its own waits)", "memory", "changed answers", "void", "false successes or no answer",
		"unreported side effects"}}
	for i, c := range all {
		var sum cost
		calls, changed, tokens := 0, 0, 0
		var memory, times []float64
		for _, e := range c.done.Episodes.All() {
			one := c.costs[e.Name]
			calls += e.ToolCalls
			changed += len(e.ChangedAnswers)
			for i := range e.Calls {
				tokens += e.Calls[i].AnswerTokens
			}
			sum.words.Page += one.words.Page
			sum.words.Held += one.words.Held
			sum.tools = max(sum.tools, one.tools)
			times = append(times, e.DurationMs)
			if one.memory > 0 {
				memory = append(memory, float64(one.memory))
			}
		}
		held, rss, lies, omits := "-", "-", "-", "-"
		if untrue, silent, known := why.Untruths(c.done); known > 0 {
			lies, omits = fmt.Sprintf("%d of %d", untrue, known), fmt.Sprintf("%d of %d", silent, known)
		}
		if sum.words.Page > 0 {
			held = fmt.Sprintf("%.0f%%", 100*float64(sum.words.Held)/float64(sum.words.Page))
		}
		if memory != nil {
			rss = fmt.Sprintf("%.0f MB", stats.Median(memory, 0).Value/1e6)
		}
		n := c.done.Episodes.Len()
		mean := func(sum int) float64 { return float64(sum) / float64(max(n, 1)) }
		table.Rows = append(table.Rows, []string{
			grid.Names[i], fmt.Sprintf("%d of %d", grid.All[i].Passed, n), fmt.Sprintf("%.1f", mean(calls)),
			fmt.Sprintf("%.0f", mean(tokens)), held, fmt.Sprint(sum.tools),
			fmt.Sprintf("%.2fs", stats.Median(times, 0).Value/1000), rss, fmt.Sprint(changed),
			fmt.Sprint(grid.All[i].Void), lies, omits,
		})
	}
	return table
}

// lines is the output of one of several runs: each line gets the name of the run's server.
type lines struct {
	to     io.Writer
	one    *sync.Mutex // held while writing to it, by all runs
	prefix string
	rest   []byte // a line that has not ended yet
}

func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	end := bytes.LastIndexByte(l.rest, '\n') + 1
	var text strings.Builder
	for line := range strings.Lines(string(l.rest[:end])) {
		if line != "\n" {
			text.WriteString(l.prefix + line)
		}
	}
	l.rest = l.rest[end:]
	l.one.Lock()
	defer l.one.Unlock()
	_, err := io.WriteString(l.to, text.String())
	return len(b), err
}
