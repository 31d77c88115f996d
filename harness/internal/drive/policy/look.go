package policy

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
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

// lacksArgument returns an argument of a call that its tool does not list: a server that does not know a way to
// read a page answers in another one. It is empty if the tool lists all, or no arguments at all.
func lacksArgument(c adapter.Call, s *server.Server, tools []adapter.Tool) string {
	name := s.Listed(c.Tool, tools)
	at := slices.IndexFunc(tools, func(t adapter.Tool) bool { return t.Name == name })
	var has struct{ Properties map[string]json.RawMessage }
	var args map[string]json.RawMessage
	if at < 0 || json.Unmarshal(tools[at].InputSchema, &has) != nil || has.Properties == nil ||
		json.Unmarshal(c.Args, &args) != nil {
		return ""
	}
	for _, arg := range slices.Sorted(maps.Keys(args)) {
		if has.Properties[arg] == nil {
			return arg
		}
	}
	return ""
}

// look reads the page until it shows something: at once, again after a moment, and once more as the
// description says for what the first way leaves out, if it looks for a name.
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
		lacks := lacksArgument(page.Call.With(server.Values{}, nil), e.server, e.state.Tools)
		if page == &e.server.Page && lacks != "" {
			return noTool("%s of %s has no argument %s", page.Call.Tool, e.server.Name, lacks)
		}
		answer, err := e.call(page.Call, server.Values{"name": name}, nil)
		if err != nil {
			return err
		}
		usual := e.page
		if e.page = nil; !answer.IsError() {
			e.page = append([]item{}, parse(e.ctx, *page, answer.Text())...)
		}
		done := shows()
		if try == 2 {
			e.page = usual // its references are those of the calls
		}
		if done {
			return nil
		}
	}
	return nil
}

// target finds the target of an intent. It looks at the page if it was not read since it changed, or
// does not show the target. One to try is looked for once. The error is a [*missing] if no answer shows it.
func (e *engine) target(in intent.Intent, name string) (item, error) {
	var it item
	var found, off bool
	shows := func(loose bool) bool {
		at, disabled := findOrOff(e.page, in, name, loose)
		if found = at >= 0; found {
			it = e.tell(in, name, at)
		}
		off = off || disabled
		return found
	}
	if !shows(false) {
		again := func() bool { return shows(!e.checks) || in.Verb == intent.Try }
		err := e.look(&e.server.Page, cmp.Or(name, in.After), again)
		if err != nil {
			return item{}, err
		}
	}
	if found {
		return it, nil
	}
	e.tell(in, name, -1)
	where := ""
	if in.After != "" {
		where = " after " + display.Quote(in.After)
	}
	if off {
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
	found := false
	shows := func() bool {
		e.saved[in.Second], found = in.Find(plain(e.page))
		return found
	}
	if e.page != nil && shows() {
		return nil
	}
	if err := e.look(&e.server.Page, in.Begins(), shows); err != nil || found {
		return err
	}
	return gaveUp(in, "no answer of the server shows anything like it")
}
