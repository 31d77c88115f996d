package observer

// An act is something that we do to a page and that the page can notice. These are all acts before
// the verdict:
//   - closing a dialog that stops the page's scripts, to read the facts (dismiss)
//   - bringing a tab to the front for a screenshot of the facts, if it is not there (screenshot)
//
// The page goes on after an act, and the server has no part in that. So what the page requests from
// then on does not count, and after a dialog neither does what it shows.

// BeforeAct makes f run once, before the first act. Call it before the first reading.
func (o *Observer) BeforeAct(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.beforeAct = f
}

// late reports whether we closed a dialog.
func (o *Observer) late() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.freed
}

// act notes an act. Call it before the act.
func (o *Observer) act() {
	o.mu.Lock()
	before := o.beforeAct
	o.acted, o.beforeAct = true, nil
	o.mu.Unlock()
	if before != nil {
		before()
	}
}
