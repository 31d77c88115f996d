package run

import (
	"cmp"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// printer shows a person how a run goes: a line for each finished episode, and how far
// the run is. On a terminal that is the status line, elsewhere a line from time to time.
type printer struct {
	*program.Console
	verbose bool // print calls
	turns   bool // bench:parity prints the progress
	out     string
	total   int // episodes to run; set before the first begins

	mu       sync.Mutex
	running  string
	counts   map[string]*counts // of running episodes
	progress program.Progress
}

// counts are the numbers that an episode's line shows, in addition to its stop.
type counts struct {
	task                   record.Task
	calls, errors, changed int
	change                 string // the first changed answer, in words
}

func newPrinter(o Options, stop func()) *printer {
	return &printer{
		Console: program.NewConsole(o.Stdout, o.Stderr, stop), verbose: o.Verbose, turns: o.Parity.Run != "",
		out: o.Out, counts: map[string]*counts{},
	}
}

func (p *printer) status() {
	doing := "running " + p.running
	if p.running == "" {
		doing = "starting the first session"
	}
	p.Status(p.progress.Words(p.total, time.Now()) + "; " + doing)
}

func (p *printer) begin(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = name
	p.progress.Start(time.Now())
	p.status()
}

// event counts what the line of an episode will show. With -verbose it prints the calls
// too.
func (p *printer) event(e record.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch b := e.Body.(type) {
	case *record.Reset:
		p.counts[e.Episode] = &counts{task: b.Task}
	case *record.ToolCall:
		p.counts[e.Episode].calls++
		if p.verbose {
			p.Line("  %s step %d -> %s %s", e.Episode, b.Step, display.Visible(b.Tool), display.Visible(string(b.Args)))
		}
	case *record.ToolResult:
		if b.IsError() {
			p.counts[e.Episode].errors++
		}
		if words := b.ChangedWords(); words != "" {
			n := p.counts[e.Episode]
			n.changed, n.change = n.changed+1, cmp.Or(n.change, words)
		}
		if p.verbose {
			p.Line("  %s step %d <- %s", e.Episode, b.Step, answerLine(b))
		}
	case *record.ContractEval:
		if p.verbose {
			p.Line("  %s contract: %s", e.Episode, b.Judgement.Verdict)
		}
	}
	p.status()
}

func answerLine(b *record.ToolResult) string {
	text := b.Text()
	if b.Failure != "" {
		text = "no answer: " + b.Failure
	} else if b.IsError() {
		text = "error: " + text
	}
	return fmt.Sprintf("%s (%.0f ms)", display.VisibleTo(text, 160), b.DurationMs)
}

// maxLines is how many episodes a run may have that prints a line for each that passed.
const maxLines = 100

// end prints the line of an attempt at an episode, and the progress if it is time to. done
// is false if the episode runs again.
func (p *printer) end(name string, s record.Stop, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line(name, s, done)
	if !done {
		return
	}
	p.progress.End(s.Status.Class(), time.Now())
	if !p.turns && !p.Terminal() && p.progress.Due(p.total, time.Now()) {
		p.Say(p.progress.Words(p.total, time.Now()))
	}
	p.status()
}

func (p *printer) line(name string, s record.Stop, done bool) {
	n := *p.counts[name]
	delete(p.counts, name)
	if s.Status == record.Passed && p.total > maxLines && !p.verbose {
		return
	}
	reason := ""
	if ended := cmp.Or(why.Ended(&s), n.change); ended != "" {
		reason = "  " + display.VisibleTo(ended, 160)
	}
	if s.Page != "" {
		reason += "  page " + filepath.Join(p.out, filepath.FromSlash(s.Page))
	}
	if !done {
		reason += "  runs again"
	}
	status, class := string(s.Status), s.Status.Class()
	if s.KnownDefect(n.task) {
		status, class = "known defect", record.Void
	}
	p.Line("%s %s  %s, %s%s", p.Class(class, fmt.Sprintf("%-13s", status)), name,
		page.Counts(s.Steps, n.calls, n.errors, n.changed), display.Duration(s.DurationMs), reason)
}
