package policy

import (
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// changed ends the script of a policy that checks, if the last press changed nothing.
func (e *engine) changed() error {
	if e.before == nil || e.page != nil {
		return nil
	}
	was := plainState(e.before)
	for try := range 2 {
		if try > 0 {
			if err := e.wait(""); err != nil {
				return err
			}
		}
		if err := e.read(); err != nil {
			return err
		}
		if !slices.Equal(was, plainState(e.page)) {
			return nil
		}
	}
	return gaveUp(e.intents[len(e.intents)-1], "the server shows the same page as before")
}

// plainState is a page without what a server makes new for each answer.
func plainState(items []item) (all []string) {
	for _, it := range items {
		all = append(all, it.role+"\x00"+it.name+"\x00"+it.value+"\x00"+it.state)
	}
	return all
}

func (e *engine) read() error {
	answer, err := e.call(e.server.Page.Call, nil, nil)
	e.page = nil
	if err == nil && !answer.IsError() {
		e.page = append([]item{}, parse(e.ctx, e.server.Page, answer.Text())...)
	}
	return err
}

// wait lets some time go by. The answer does not matter.
func (e *engine) wait(name string) error {
	if e.server.Again == nil {
		return nil
	}
	_, err := e.call(*e.server.Again, server.Values{"name": name}, nil)
	return err
}

// target finds the target of an intent. It reads the page if it was not read since it changed, or
// does not show the name. It looks again once.
func (e *engine) target(in intent.Intent, name string) (item, error) {
	if e.page != nil {
		if at := find(e.page, in, name, false); at >= 0 {
			return e.tell(in, name, at), nil
		}
	}
	for try := range 2 {
		if try > 0 {
			if in.Verb == intent.Try {
				break
			}
			if err := e.wait(name); err != nil {
				return item{}, err
			}
		}
		if err := e.read(); err != nil {
			return item{}, err
		}
		if at := find(e.page, in, name, !e.checks); at >= 0 {
			return e.tell(in, name, at), nil
		}
	}
	where := ""
	if in.After != "" {
		where = " after " + display.Quote(in.After)
	}
	e.tell(in, name, -1)
	return item{}, gaveUp(in, "no answer of the server shows such a control%s", where)
}

// show tells a person what an intent finds whose call takes words. It reads the page only for that.
func (e *engine) show(in intent.Intent) error {
	if e.found == nil || e.checks || needsRef(callsOf(e.server, e.policy, "press")) {
		return nil
	}
	if e.page == nil {
		if err := e.read(); err != nil {
			return err
		}
	}
	e.tell(in, in.Text, find(e.page, in, in.Text, true))
	return nil
}

// tell tells a person what an intent found.
func (e *engine) tell(in intent.Intent, name string, at int) item {
	f := Found{Intent: in}
	for i, it := range e.page {
		line := strings.TrimSpace(it.role + " " + display.Quote(it.name) + " " + it.ref)
		switch {
		case i == at:
			f.Is = line
		case it.ref != "" && slices.Contains(widgets, it.role) && fold(it.name) == fold(name):
			f.Others = append(f.Others, line)
		}
	}
	if at >= 0 || in.Verb != intent.Try { // of which one may be missing
		e.looked++
	}
	if at >= 0 {
		e.named++
	}
	if e.found != nil {
		e.found(f)
	}
	if at < 0 {
		return item{}
	}
	return e.page[at]
}

// save saves what the pattern of a read finds. It looks again once.
func (e *engine) save(in intent.Intent) error {
	for try := range 3 {
		if try == 2 {
			if err := e.wait(""); err != nil {
				return err
			}
		}
		if try > 0 || e.page == nil {
			if err := e.read(); err != nil {
				return err
			}
		}
		if text, ok := in.Find(plain(e.page)); ok {
			e.saved[in.Second] = text
			return nil
		}
	}
	return gaveUp(in, "no answer of the server shows anything like it")
}
