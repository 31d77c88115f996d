package report

import "github.com/openchrome/bench/harness/event"

// progress counts an episode's rows of steps that led nowhere.
//
// Where the server has oc_progress_status, the count is the number of steps that
// it called stalling or stuck. Elsewhere it is one for each unbroken row of
// three or more error answers, and one for each unbroken row of three or more
// successful calls of the same tool during which the page's URL stayed the same.
type progress struct {
	asked   bool // the server has oc_progress_status
	stalled int
	rows    int

	errors  int    // length of the present row of errors
	same    int    // length of the present row of calls of tool that moved nothing
	tool    string // of the row
	url     string // the page's URL; empty while unknown
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

// learn takes what the harness asked after the step.
func (p *progress) learn(b *event.Progress) {
	if b.Status != "" {
		p.asked = true
		if b.Status == "stalling" || b.Status == "stuck" {
			p.stalled++
		}
		return
	}
	moved := p.url != "" && b.URL != p.url
	p.url = b.URL
	switch {
	case b.URL == "": // it could not be read: nothing is known of this step
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

func (p *progress) count() int {
	if p.asked {
		return p.stalled
	}
	return p.rows
}
