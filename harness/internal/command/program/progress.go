package program

import (
	"fmt"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Progress counts the episodes that ended, and estimates when the last one will. The zero
// value is a run of which nothing has begun.
type Progress struct {
	passed, failed, void int
	pairs                int       // of bench:parity, which counts nothing else
	began, ended         time.Time // of the first episode; of the last that ended

	shown     time.Time // when the last line was due
	shownDone int
}

// A line is due if lineEvery and a tenth of the episodes have passed since the last one, or
// else after lineAtLeast.
const (
	lineEvery   = 10 * time.Second
	linePart    = 10
	lineAtLeast = time.Minute
)

// An estimate needs both.
const (
	estimateAfter = 2 * time.Second
	estimateDone  = 3
)

// Start takes the begin of an episode.
func (p *Progress) Start(now time.Time) {
	if p.began.IsZero() {
		p.began, p.shown = now, now
	}
}

// End takes the end of an episode.
func (p *Progress) End(c record.Class, now time.Time) {
	p.ended = now
	switch c {
	case record.Pass:
		p.passed++
	case record.Fail:
		p.failed++
	default:
		p.void++
	}
}

// EndPair takes the end of a pair of bench:parity. The first one gives an estimate already, because
// it takes long.
func (p *Progress) EndPair(now time.Time) { p.pairs, p.ended = p.pairs+1, now }

func (p *Progress) done() int { return p.passed + p.failed + p.void + p.pairs }

// left estimates the time until total parts of a run have ended, in words such as "; about 3s
// left". The first began at began, the last of the done parts ended at ended.
func left(done, total int, began, ended, now time.Time) string {
	each := ended.Sub(began) / time.Duration(done) // of parallel parts their part
	left := each*time.Duration(total-done) - now.Sub(ended)
	return fmt.Sprintf("; about %s left", max(left.Round(time.Second), time.Second))
}

// Due reports whether it is time for a line, and counts it as shown.
func (p *Progress) Due(total int, now time.Time) bool {
	done := p.done()
	since := now.Sub(p.shown)
	early := since < lineEvery || (done-p.shownDone)*linePart < total && since < lineAtLeast
	if early && p.pairs != 1 || done >= total {
		return false
	}
	p.shown, p.shownDone = now, done
	return true
}

// Words says how far the run is.
func (p *Progress) Words(total int, now time.Time) string {
	if p.pairs > 0 {
		return fmt.Sprintf("%d of %s done%s", p.pairs, display.Count(total, "pair"), left(p.pairs, total, p.began, p.ended, now))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d done", p.done(), total)
	if p.done() > 0 {
		fmt.Fprintf(&b, ": %d passed, %d failed, %d void", p.passed, p.failed, p.void)
	}
	if done := p.done(); done >= estimateDone && now.Sub(p.began) >= estimateAfter && done < total {
		b.WriteString(left(done, total, p.began, p.ended, now))
	}
	return b.String()
}
