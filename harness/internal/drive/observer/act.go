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

// act notes an act before it is done. Frees says that it closes a dialog.
func (o *Observer) act(frees bool) {
	o.mu.Lock()
	before := o.beforeAct
	o.beforeAct, o.acted, o.freed = nil, true, o.freed || frees
	o.mu.Unlock()
	if before != nil {
		before()
	}
}
