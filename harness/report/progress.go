package report

import "github.com/openchrome/bench/harness/event"

// progress counts an episode's rows of steps that led nowhere.
//
// Where the server has oc_progress_status that is the number of steps which it
// answered with stalling or stuck. Elsewhere it is one for each unbroken row of
// three or more error answers, and one for each unbroken row of three or more
// successful calls of the same tool during which the page's URL stood still.
type progress struct {
	asked   bool // the server has oc_progress_status
	stalled int
	rows    int

	errors  int // length of the present row of errors
	same    int // length of the present row of calls of tool that moved nothing
	tool    string
	url     string // the page's URL, once known
	known   bool
	isError bool   // how the last step ended
	called  string // its tool
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

// learn takes what was asked after the step.
func (p *progress) learn(b *event.Progress) {
	if b.Status != "" {
		p.asked = true
		if b.Status == "stalling" || b.Status == "stuck" {
			p.stalled++
		}
		return
	}
	if b.URL == "" { // it could not be read: nothing is known of this step
		p.known, p.same, p.tool = false, 0, ""
		return
	}
	moved := p.known && b.URL != p.url
	p.known, p.url = true, b.URL
	if p.isError {
		return
	}
	switch {
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

func (p *progress) count() int {
	if p.asked {
		return p.stalled
	}
	return p.rows
}
