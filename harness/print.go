package harness

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/report"
)

// printer tells a person how a run goes: a line for each finished episode and,
// on a terminal only, one status line that is drawn again in its place.
type printer struct {
	mu      sync.Mutex
	out     *outbox
	w, errw io.Writer
	paint   paint
	verbose bool
	stop    func() // ends the run when nobody reads any more

	tty     bool
	drawn   bool      // the status line is on the screen
	last    time.Time // when it was drawn
	total   int
	done    int
	running string
	counts  map[string]*counts // of running episodes
}

// counts are what an episode's line tells beside its stop.
type counts struct{ calls, errors int }

// redrawEvery keeps the status line calm.
const redrawEvery = 100 * time.Millisecond

func newPrinter(o Options, total int, stop func()) *printer {
	return &printer{
		out: newOutbox(), w: o.Stdout, errw: o.Stderr, paint: paint{colours(o.Stdout)}, verbose: o.Verbose,
		tty: isTerminal(o.Stdout), total: total, stop: stop, counts: map[string]*counts{},
	}
}

// print puts text on standard output. A closed pipe stops the run: nobody waits
// for more.
func (p *printer) print(text string) { p.out.post(letter{p.w, text, p.stop}) }

// line prints one line above the status line.
func (p *printer) line(format string, args ...any) {
	p.erase()
	p.print(fmt.Sprintf(format+"\n", args...))
}

func (p *printer) erase() {
	if p.drawn {
		p.print("\r\x1b[2K")
		p.drawn = false
	}
}

func (p *printer) status() {
	if !p.tty || time.Since(p.last) < redrawEvery || p.out.behind() {
		return
	}
	p.erase()
	doing := "running " + p.running
	if p.running == "" {
		doing = "starting the first session"
	}
	// A line that wraps could not be taken back.
	line := []rune(fmt.Sprintf("%d of %d done, %s", p.done, p.total, doing))
	p.print(p.paint.faint(string(line[:min(len(line), 79)])))
	p.drawn, p.last = true, time.Now()
}

// say prints a line about the run.
func (p *printer) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line("%s", p.paint.faint(text))
}

// warn prints an error that changes no verdict; nil prints nothing.
func (p *printer) warn(err error) {
	if err == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.out.post(letter{to: p.errw, text: fmt.Sprintln("warning:", report.Visible(err.Error()))})
}

func (p *printer) begin(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = name
	p.status()
}

// event notes what a line of an episode will tell, and prints calls when asked
// to.
func (p *printer) event(e event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch b := e.Body.(type) {
	case *event.Reset:
		p.counts[e.Episode] = new(counts)
	case *event.ToolCall:
		p.counts[e.Episode].calls++
		if p.verbose {
			p.line("  %s step %d -> %s %s", e.Episode, b.Step, report.Visible(b.Tool), report.Visible(string(b.Args)))
		}
	case *event.ToolResult:
		if b.IsError() {
			p.counts[e.Episode].errors++
		}
		if p.verbose {
			p.line("  %s step %d <- %s", e.Episode, b.Step, answerLine(b))
		}
	case *event.ContractEval:
		if p.verbose {
			p.line("  %s contract: %s", e.Episode, b.Judgement.Verdict)
		}
	}
	p.status()
}

func answerLine(b *event.ToolResult) string {
	text := b.Text()
	if b.Failure != "" {
		text = "no answer: " + b.Failure
	} else if b.IsError() {
		text = "error: " + text
	}
	return fmt.Sprintf("%s (%.0f ms)", shorten(report.Visible(text)), b.DurationMs)
}

func shorten(s string) string {
	const most = 160
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// end prints the line of a finished episode.
func (p *printer) end(name string, s event.Stop) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	n := *p.counts[name]
	delete(p.counts, name)
	reason := ""
	if s.Reason != "" {
		reason = "  " + shorten(report.Visible(s.Reason))
	}
	p.line("%s %s  %s, %s, %s, %s%s", p.paint.class(s.Status.Class(), fmt.Sprintf("%-13s", s.Status)), name,
		count(s.Steps, "step"), count(n.calls, "tool call"), count(n.errors, "error"), duration(s.DurationMs), reason)
	p.status()
}

func duration(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// summary prints the totals of a finished run. The verdict comes after it.
func (p *printer) summary(out string, r *report.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := r.Totals
	p.line("")
	p.line("subject  %s", report.Visible(report.DescribeSubject(r.Subject)))
	for _, note := range r.Notes {
		p.line("note     %s", report.Visible(note))
	}
	p.line("totals   %d passed, %d failed, %d void; success rate %s; %s, %s, %s", t.Passed, t.Failed, t.Void, t.Rate(),
		count(t.Steps, "step"), count(t.ToolCalls, "tool call"), count(t.Errors, "error"))
	p.line("digest   %s", r.Digest)
	p.line("report   %s", filepath.Join(out, report.ReportsDir, r.RunID+".md"))
	p.line("events   %s", filepath.Join(out, report.EventsDir, r.RunID+".jsonl"))
}

// verdict prints the last line of something that went well; what did not ends
// with an error.
func (p *printer) verdict(word, rest string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line("%s: %s", p.paint.class(event.Pass, word), rest)
}

// close takes the status line off the screen and returns when all is printed, or
// when ctx has ended and nobody reads. Then main's last words may find no reader
// either, where both outputs are one pipe: the process ends without them.
func (p *printer) close(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	if !p.out.close(ctx) {
		time.AfterFunc(patience, func() { os.Exit(ExitInterrupted) })
	}
}
