package policy

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// changed ends the script of a policy that checks, if the last press changed nothing.
func (e *engine) changed() error {
	if e.before == nil || e.page != nil {
		return nil
	}
	was, same := plainState(e.before), true
	err := e.look(&e.server.Page, "", func() bool {
		same = slices.Equal(was, plainState(e.page))
		return !same
	})
	if err != nil || !same {
		return err
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

// moment is how long a policy waits before it looks again.
const moment = time.Second

// pause lets a moment go by.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(moment):
	}
}

// look reads the page until it shows something: at once, again after a moment, and once more as the
// description says for what the first way leaves out, if it looks for a name. All that a policy looks
// for is looked for so.
func (e *engine) look(page *server.Page, name string, shows func() bool) error {
	for try := range 3 {
		switch {
		case try == 1:
			e.pause(e.ctx)
		case try == 2 && (name == "" || e.server.More == nil):
			return nil
		case try == 2:
			page = e.server.More
		}
		answer, err := e.call(page.Call, server.Values{"name": name}, nil)
		if err != nil {
			return err
		}
		if try < 2 || !answer.IsError() {
			e.page = e.parse(page, answer)
		}
		if shows() {
			return nil
		}
	}
	return nil
}

func (e *engine) parse(p *server.Page, answer adapter.Result) []item {
	if answer.IsError() {
		return nil
	}
	return append([]item{}, parse(e.ctx, *p, answer.Text())...)
}

// target finds the target of an intent. It looks at the page if it was not read since it changed, or
// does not show the target. One to try is looked for once. The error is a [*missing] if no answer shows it.
func (e *engine) target(in intent.Intent, name string) (item, error) {
	at := find(e.page, in, name, false)
	if at < 0 {
		err := e.look(&e.server.Page, cmp.Or(name, in.After), func() bool {
			at = find(e.page, in, name, !e.checks)
			return at >= 0 || in.Verb == intent.Try
		})
		if err != nil {
			return item{}, err
		}
	}
	if it := e.tell(in, name, at); at >= 0 {
		return it, nil
	}
	where := ""
	if in.After != "" {
		where = " after " + display.Quote(in.After)
	}
	if thereDisabled(e.page, in, name) {
		return item{}, gaveUp(in, "the control%s is disabled", where)
	}
	return item{}, &missing{gaveUp(in, "no answer of the server shows such a control%s", where)}
}

// missing is the error of a target that no answer shows.
type missing struct{ error }

func (m *missing) Unwrap() error { return m.error }

// tell tells a person what an intent found.
func (e *engine) tell(in intent.Intent, name string, at int) item {
	f := Found{Intent: in}
	for i, it := range e.page {
		line := strings.TrimSpace(it.role + " " + display.Quote(it.name) + " " + it.ref)
		switch {
		case i == at:
			f.Is = line
		case slices.Contains(widgets, it.role) && fold(it.name) == fold(name):
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

// save saves what the pattern of a read finds.
func (e *engine) save(in intent.Intent) error {
	shows := func() (ok bool) {
		e.saved[in.Second], ok = in.Find(plain(e.page))
		return ok
	}
	if shows() {
		return nil
	}
	if err := e.look(&e.server.Page, in.Begins(), shows); err != nil || shows() {
		return err
	}
	return gaveUp(in, "no answer of the server shows anything like it")
}
