package report

import "github.com/openchrome/bench/harness/internal/record"

// progress counts how often an episode made no progress.
//
// It counts rows of steps: each unbroken row of three or more error answers, and each
// unbroken row of three or more successful calls of the same tool during which the page's
// URL stayed the same.
type progress struct {
	rows int

	errors  int    // length of the current row of errors
	same    int    // length of the current row of calls of the same tool with the same URL
	tool    string // the tool of that row
	url     string // the page's URL; empty while unknown
	isError bool   // how the last step ended
	called  string // the last step's tool
}

const rowLength = 3

func (p *progress) step(tool string, isError bool) {
	p.isError, p.called = isError, tool
	if !isError {
		p.errors = 0
		return
	}
	p.same, p.tool = 0, ""
	if p.errors++; p.errors == rowLength {
		p.rows++
	}
}

// learn records the progress that was read after the step.
func (p *progress) learn(b *record.Progress) {
	moved := p.url != "" && b.URL != p.url
	p.url = b.URL
	switch {
	case b.URL == "": // progress could not be read, so nothing is known about this step
		p.same, p.tool = 0, ""
		return
	case p.isError:
		return
	case moved:
		p.same = 0
	case p.called == p.tool:
		p.same++
	default:
		p.same = 1
	}
	if p.tool = p.called; p.same == rowLength {
		p.rows++
	}
}
