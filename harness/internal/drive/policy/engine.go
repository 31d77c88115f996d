package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Found is what an intent found, for a person.
type Found struct {
	Intent intent.Intent
	Is     string   // the target: role, name and ref
	Others []string // the other controls of this name
}

// New returns the factory of adapters that carry out intents by a policy, such as form+check. found
// is told what each intent found, unless it is nil.
func New(s *server.Server, policy string, intents []intent.Intent, found func(Found)) adapter.Factory {
	return func() (adapter.Adapter, error) {
		name, checks := strings.CutSuffix(policy, check)
		return &engine{
			server: s, policy: name, checks: checks, intents: intents, found: found,
			saved: make(map[string]string), tab: s.Tabs.First, pause: pause,
		}, nil
	}
}

// engine carries out the intents of one episode. It is written as a script that yields its calls.
type engine struct {
	server  *server.Server
	policy  string
	checks  bool
	intents []intent.Intent
	found   func(Found)
	looked  int // targets that it looked for
	named   int // of them, those that an answer named

	mu    sync.Mutex // next and stop of the script exclude each other
	next  func() (adapter.Decision, bool)
	stop  func()
	yield func(adapter.Decision) bool
	state adapter.State
	ctx   context.Context // of the steps

	saved  map[string]string
	page   []item // as it was read after the last press; nil: it was not
	tab    string // empty: that of the state
	before []item // the page before the last press, with check
	pause  func(context.Context)
}

// errStopped says that the episode is over.
var errStopped = errors.New("the episode is over")

// ending is an error that ends the script with a decision.
type ending struct{ decision adapter.Decision }

func (e *ending) Error() string { return e.decision.GaveUp + e.decision.NoTool }

// gaveUp ends the script: it says of an intent why.
func gaveUp(in intent.Intent, format string, args ...any) error {
	return &ending{adapter.Decision{GaveUp: fmt.Sprintf("%s: %s: ", in.At, words(in)) + fmt.Sprintf(format, args...)}}
}

// noTool ends the script: nothing does the step.
func noTool(format string, args ...any) error {
	return &ending{adapter.Decision{NoTool: fmt.Sprintf(format, args...)}}
}

func words(in intent.Intent) string {
	if in.Text == "" {
		return string(in.Verb)
	}
	return string(in.Verb) + " " + display.Quote(in.Text)
}

// Next implements [adapter.Adapter].
func (e *engine) Next(ctx context.Context, s adapter.State) (adapter.Decision, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state, e.ctx = s, ctx
	if e.next == nil {
		e.next, e.stop = iter.Pull(func(yield func(adapter.Decision) bool) {
			e.yield = yield
			err := e.script()
			end, ended := errors.AsType[*ending](err)
			switch {
			case ended:
				yield(end.decision)
			case err == nil:
				yield(adapter.Decision{Done: true})
			}
		})
		context.AfterFunc(ctx, func() { // the steps of the episode are over
			e.mu.Lock()
			defer e.mu.Unlock()
			e.stop()
		})
	}
	d, ok := e.next()
	if !ok {
		d = adapter.Decision{Done: true}
	}
	d.Looked, d.Found = e.looked, e.named
	return d, nil
}

func (e *engine) call(c server.Call, v server.Values, fields []server.Values) (adapter.Result, error) {
	if v == nil {
		v = server.Values{}
	}
	if v["tab"] = e.tab; e.tab == "" {
		v["tab"] = e.state.TabID
	}
	made := c.With(v, fields)
	made.Tool = e.server.Listed(made.Tool, e.state.Tools)
	listed := slices.ContainsFunc(e.state.Tools, func(t adapter.Tool) bool { return t.Name == made.Tool })
	if !e.yield(adapter.Decision{Call: made}) {
		return adapter.Result{}, errStopped
	}
	answer := e.state.Steps[len(e.state.Steps)-1].Result
	if answer.IsError() && !listed && e.state.Tools != nil { // some servers have more than they list
		return answer, noTool("%s has no tool %s", e.server.Name, made.Tool)
	}
	return answer, nil
}

func (e *engine) script() error {
	for i := 0; i < len(e.intents); {
		in := e.intents[i].With(e.saved)
		if fillsIn(in.Verb) {
			n := 1
			for i+n < len(e.intents) && fillsIn(e.intents[i+n].Verb) {
				n++
			}
			var batch []intent.Intent
			for _, in := range e.intents[i : i+n] {
				batch = append(batch, in.With(e.saved))
			}
			if i += n; e.policy == server.BySubmit && i < len(e.intents) && e.intents[i].Verb == intent.Send {
				batch = append(batch, e.intents[i].With(e.saved))
				i++
			}
			if err := e.fill(batch); err != nil {
				return err
			}
			continue
		}
		i++
		done, err := e.one(in)
		if done || err != nil {
			return err
		}
	}
	return e.changed()
}

func fillsIn(v intent.Verb) bool {
	return v == intent.Fill || v == intent.Choose || v == intent.Check || v == intent.Uncheck
}

// one carries out an intent that fills in no field. It reports whether the script ends.
func (e *engine) one(in intent.Intent) (done bool, err error) {
	switch in.Verb {
	case intent.Press, intent.Send, intent.Try:
		return e.press(in)
	case intent.Read:
		return false, e.save(in)
	case intent.Unsupported:
		return false, noTool("%s: no verb can do this: %s", in.At, display.Visible(in.Text))
	case intent.Tab:
		return false, e.selectTab(in)
	case intent.Answer:
		verb := in.Text
		if in.Second != "" && verb == "accept" {
			verb = "prompt"
		}
		return false, e.plain(in, verb, server.Values{"value": in.Second})
	case intent.Go:
		v := server.Values{"text": in.Text}
		if base, err := url.Parse(e.state.StartURL); err == nil {
			if to, err := base.Parse(in.Text); err == nil {
				v["text"] = to.String()
			}
		}
		return false, e.plain(in, string(in.Verb), v)
	case intent.Back, intent.Reload:
		return false, e.plain(in, string(in.Verb), nil)
	case intent.Wait: // twice, as a target is looked for
		v := server.Values{"text": in.Text}
		answer, err := e.calls(in, callsOf(e.server, e.policy, string(in.Verb)), v)
		if err != nil || !e.server.Fails(answer) {
			e.page = nil
			return false, err
		}
		return false, e.plain(in, string(in.Verb), v)
	case intent.Keys:
		return false, e.keys(in)
	}
	at, err := e.target(in, in.Text) // hover, drag, scroll, upload
	if err != nil {
		return false, err
	}
	v := e.valuesOf(at, in)
	switch in.Verb {
	case intent.Drag:
		to, err := e.target(in, in.Second)
		if err != nil {
			return false, err
		}
		if v["to"] = to.ref; in.Keys != "" && e.ways(in, e.policy, string(in.Verb), at) == nil {
			in.Verb, in.Text, in.Second = intent.Keys, in.Keys, in.Text
			return false, e.keys(in)
		}
	case intent.Upload:
		v["value"] = e.state.Files[in.Second]
	}
	err = e.do(in, e.ways(in, e.policy, string(in.Verb), at), v)
	e.page = nil
	return false, err
}

// keys presses keys, on a target if the intent has one.
func (e *engine) keys(in intent.Intent) error {
	if in.Second != "" {
		at, err := e.target(in, in.Second)
		if err == nil {
			err = e.do(in, e.ways(in, e.policy, string(intent.Press), at), e.valuesOf(at, in))
		}
		if err != nil {
			return err
		}
	}
	for _, key := range strings.Fields(in.Text) {
		if err := e.plain(in, string(intent.Keys), server.Values{"text": keyName(key)}); err != nil {
			return err
		}
	}
	return nil
}

// keyNames are the names of keys in DOM events, where they differ from the words that tasks have.
var keyNames = map[string]string{"ctrl": "Control", "shift": "Shift", "alt": "Alt", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "home": "Home", "end": "End", "space": "Space"}

// keyName returns a key, such as shift+down, by the names of DOM events.
func keyName(key string) string {
	parts := strings.Split(key, "+")
	for i, part := range parts {
		if name := keyNames[part]; name != "" {
			parts[i] = name
		}
	}
	return strings.Join(parts, "+")
}

// plain does what the description says for a verb. The page is not the same after it.
func (e *engine) plain(in intent.Intent, verb string, v server.Values) error {
	err := e.do(in, callsOf(e.server, e.policy, verb), v)
	e.page = nil
	return err
}

// do makes the calls of an intent. An error answer is the end.
func (e *engine) do(in intent.Intent, list []server.Call, v server.Values) error {
	answer, err := e.calls(in, list, v)
	if err == nil && e.server.Fails(answer) {
		return failed(in, answer)
	}
	return err
}

// maxError is how many characters of an answer's error a reason has.
const maxError = 300

// calls makes the calls of an intent, until one is answered with an error. If the answer says that a reference is of
// an element that is gone, it looks for the target anew, and makes that call once more.
func (e *engine) calls(in intent.Intent, list []server.Call, v server.Values) (answer adapter.Result, err error) {
	if list == nil {
		why := ""
		if in.After != "" || in.Role != "" {
			why = " by reference, and words cannot say its role or what it is after"
		}
		return answer, noTool("%s: %s: the description of %s has no call for it%s", in.At, words(in), e.server.Name, why)
	}
	isStale := func() bool { return err == nil && v["ref"] != "" && e.server.Stale(answer) }
	anew := false
	for _, c := range list {
		if answer, err = e.call(c, v, nil); isStale() && !anew {
			if anew, err = true, e.anew(in, v); err == nil {
				answer, err = e.call(c, v, nil)
			}
		}
		if err != nil || e.server.Fails(answer) {
			return answer, err
		}
	}
	return answer, nil
}

// anew finds the references of the values on the page as it is now.
func (e *engine) anew(in intent.Intent, v server.Values) error {
	e.page = nil
	it, err := e.target(in, v["name"])
	v["ref"], v["id"] = it.ref, it.id
	if err == nil && v["to"] != "" {
		it, err = e.target(in, in.Second)
		v["to"] = it.ref
	}
	return err
}

// press presses a target once. Without the call of another policy, an error is the end.
func (e *engine) press(in intent.Intent) (done bool, err error) {
	verb := cmp.Or(in.Second, string(intent.Press))
	for policy := e.policy; ; {
		it, err := e.reach(in, callsOf(e.server, policy, verb))
		if end, ended := errors.AsType[*ending](err); ended && in.Verb == intent.Try && end.decision.GaveUp != "" {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if e.before = nil; e.checks {
			e.before = e.page
		}
		list := e.ways(in, policy, verb, it)
		answer, err := e.calls(in, list, e.valuesOf(it, in))
		e.page = nil
		switch {
		case err != nil:
			return false, err
		case !e.server.Fails(answer):
			return in.Verb == intent.Try, nil
		case in.Verb == intent.Try:
			return false, nil
		}
		policy = after(e.server, policy)
		if e.checks || reflect.DeepEqual(e.ways(in, policy, verb, it), list) {
			return false, failed(in, answer)
		}
	}
}

// reach returns the target for calls of a policy. If no answer shows it, trust leaves it to calls that
// name it by words to find it.
func (e *engine) reach(in intent.Intent, list []server.Call) (item, error) {
	it, err := e.target(in, in.Text)
	_, unseen := errors.AsType[*missing](err)
	if unseen && !e.checks && in.Verb != intent.Try && list != nil && says(list, in, item{}) {
		return item{name: in.Text}, nil
	}
	return it, err
}

// ways returns the calls for what a verb does to a target: those of the policy, or others if they cannot
// say which target it is; nil if there are none.
func (e *engine) ways(in intent.Intent, policy, verb string, it item) []server.Call {
	for _, list := range [][]server.Call{callsOf(e.server, policy, verb), e.server.Calls[verb], e.server.Words[verb]} {
		if list != nil && says(list, in, it) {
			return list
		}
	}
	return nil
}

// says reports whether calls can say which target is meant: by a reference or an id, if the page shows it,
// or by words, unless the intent says more than a name.
func says(list []server.Call, in intent.Intent, it item) bool {
	needs := func(name string) bool {
		return slices.ContainsFunc(list, func(c server.Call) bool { return c.Needs(name) })
	}
	switch {
	case needs("ref"):
		return it.ref != ""
	case needs("id"):
		return it.id != ""
	}
	return in.After == "" && in.Role == ""
}

func (e *engine) valuesOf(it item, in intent.Intent) server.Values {
	v := server.Values{"ref": it.ref, "id": it.id, "name": it.name, "type": it.role, "text": in.Text, "value": in.Second}
	if t := e.server.Types[it.role]; t != "" {
		v["type"] = t
	}
	switch in.Verb {
	case intent.Fill:
		if it.role == "combobox" { // it can be typed into
			v["type"] = "textbox"
		}
	case intent.Check:
		v["value"] = "true"
	case intent.Uncheck:
		v["value"] = "false"
	}
	return v
}

// selectTab makes the tab with a title or address current. It looks again once.
func (e *engine) selectTab(in intent.Intent) error {
	p := e.server.Tabs
	if p.List == nil {
		_, err := e.calls(in, nil, nil)
		return err
	}
	for try := range 2 {
		if try > 0 { // it may still open
			e.pause(e.ctx)
		}
		answer, err := e.call(*p.List, nil, nil)
		if err != nil {
			return err
		}
		tabs := p.Pattern.FindAllStringSubmatch(answer.Text(), -1)
		for _, same := range []func(text string) bool{
			func(text string) bool { return text == in.Text },
			func(text string) bool { return strings.Contains(text, in.Text) },
		} {
			for _, m := range tabs {
				if !same(unquote(m[p.Pattern.SubexpIndex("title")])) && !same(m[p.Pattern.SubexpIndex("url")]) {
					continue
				}
				e.tab, e.page = m[p.Pattern.SubexpIndex("id")], nil
				if p.Select == nil {
					return nil
				}
				_, err := e.call(*p.Select, nil, nil)
				return err
			}
		}
	}
	return gaveUp(in, "no open tab has this title or address")
}
