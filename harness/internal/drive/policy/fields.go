package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// fill fills in the fields of a batch. Its last intent may be a send.
func (e *engine) fill(batch []intent.Intent) error {
	if e.checks {
		return e.fillChecked(batch)
	}
	answer, at, err := e.by(e.policy, batch)
	if err != nil || !e.server.Fails(answer) {
		return err
	}
	rest := batch[at:]
	unnamed := func(in intent.Intent) bool {
		return in.Verb != intent.Send && !strings.Contains(e.server.Failed(answer), `"`+in.Text+`"`)
	}
	if some := slices.DeleteFunc(slices.Clone(rest), unnamed); len(some) > 0 && fillsIn(some[0].Verb) {
		rest = some // what the answer names
	}
	answer, _, err = e.by(after(e.server, e.policy), rest)
	if err == nil && e.server.Fails(answer) {
		err = failed(batch[0], answer)
	}
	return err
}

// failed ends the script: an answer says that a call failed.
func failed(in intent.Intent, answer adapter.Result) error {
	return gaveUp(in, "the server answered with an error: %s", display.VisibleTo(answer.Text(), maxError))
}

// by carries out a batch by a policy. If the answer says that it failed, at says at which intent.
func (e *engine) by(policy string, batch []intent.Intent) (answer adapter.Result, at int, err error) {
	way := e.server.Policies[policy]
	last := batch[len(batch)-1]
	fields, send := batch, way.Send
	if last.Verb == intent.Send {
		fields = batch[:len(batch)-1]
	}
	isExact := func(in intent.Intent) bool { return in.After != "" || in.Role != "" } // no words say it
	if len(fields) == len(batch) || slices.ContainsFunc(batch, isExact) {
		send = nil
	}
	for at < len(fields) {
		all, first, err := e.gather(policy, fields[at:])
		if err != nil {
			return answer, at, err
		}
		n := len(all)
		switch {
		case n == 0: // the call that sends cannot have all fields
			n, send = 1, nil
			answer, err = e.field(policy, fields[at], first)
		case at+n == len(fields) && send != nil: // the button comes last
			answer, err = e.call(*send, server.Values{"text": last.Text}, all)
			if err == nil && e.server.Fails(answer) && !answer.IsError() {
				err = failed(last, answer) // it may have sent the rest, and a press is never repeated
			}
		default:
			answer, err = e.call(*way.Form, nil, all)
		}
		if err != nil || e.server.Fails(answer) {
			e.page = nil
			return answer, at, err
		}
		if at += n; len(all) > 0 && (at < len(fields) || send != nil) {
			e.page = nil
		}
	}
	if send == nil && last.Verb == intent.Send {
		_, err = e.press(last)
	}
	return answer, 0, err
}

// gather returns the values of the fields that one call of a policy fills in. If there is no such call,
// or it cannot say which field is first, it returns that target.
func (e *engine) gather(policy string, fields []intent.Intent) (all []server.Values, first item, err error) {
	form := e.server.Policies[policy].Form
	seen := make(map[string]bool)
	for _, in := range fields {
		list := callsOf(e.server, policy, string(in.Verb))
		if form != nil {
			list = []server.Call{*form}
		}
		it, err := e.reach(in, list)
		if _, ended := errors.AsType[*ending](err); ended && len(all) > 0 {
			break // it may come when the others are filled in
		}
		if err != nil {
			return nil, it, err
		}
		if len(all) == 0 {
			first = it
		}
		v := e.valuesOf(it, in)
		if form == nil || !says(list, in, it) || form.Join && seen[v["name"]] { // an object has each name once
			break
		}
		seen[v["name"]] = true
		all = append(all, v)
	}
	return all, first, nil
}

func (e *engine) field(policy string, in intent.Intent, it item) (adapter.Result, error) {
	list := e.ways(in, policy, string(in.Verb), it)
	if len(list) == 1 && list[0].Toggles && it.holds(in) {
		return adapter.Result{}, nil
	}
	return e.calls(in, list, e.valuesOf(it, in))
}

// maxRepairs is how often a field is repaired.
const maxRepairs = 2

// fillChecked fills in the fields of a batch, reads all fields again, and repairs those that hold
// something else. It gives up if another field changed.
func (e *engine) fillChecked(batch []intent.Intent) error {
	fields := batch
	last := batch[len(batch)-1]
	if last.Verb == intent.Send { // one call fills in and sends: what it names must be the only one
		fields = batch[:len(batch)-1]
		for _, in := range batch {
			if _, err := e.target(in, in.Text); err != nil {
				return err
			}
			if send := e.server.Policies[e.policy].Send; says([]server.Call{*send}, in, item{}) && e.count(in) > 1 {
				return gaveUp(in, "several controls have this name, and the call cannot say which")
			}
		}
	}
	before, err := e.readFields(fields)
	if err != nil {
		return err
	}
	for _, in := range fields {
		if _, err := e.target(in, in.Text); err != nil {
			return err
		}
	}
	wrong, policy := batch, e.policy
	var answer adapter.Result
	for repairs := 0; ; repairs++ {
		if repairs == 0 {
			e.before = e.page
			answer, _, err = e.by(policy, wrong)
			if last.Verb == intent.Send {
				return err // changed looks at what came of it
			}
		} else {
			policy = after(e.server, policy)
			for _, in := range wrong {
				it, err := e.target(in, in.Text)
				if err == nil {
					answer, err = e.field(policy, in, it)
				}
				if err != nil {
					return err
				}
			}
		}
		if err != nil {
			return err
		}
		e.before, e.page = nil, nil
		after, err := e.readFields(fields)
		if err != nil {
			return err
		}
		if other := e.other(before, after, fields); other != "" {
			return gaveUp(fields[0], "another field changed: %s", other)
		}
		if wrong = e.wrong(after, fields, answer); wrong == nil {
			return nil
		}
		if repairs == maxRepairs {
			at := find(after, wrong[0], wrong[0].Text, false)
			return gaveUp(wrong[0], "after %d repairs the field holds %s", maxRepairs, display.Quote(after[at].value))
		}
	}
}

// count is how many controls of the page an intent may mean, whatever they come after.
func (e *engine) count(in intent.Intent) (n int) {
	in.After, in.Role = "", ""
	for rest := e.page; ; n++ {
		at := find(rest, in, in.Text, false)
		if at < 0 || e.ctx.Err() != nil {
			return n
		}
		rest = rest[at+1:]
	}
}

// held is how the server shows what fields hold.
func (e *engine) held() *server.Page { return cmp.Or(e.server.Fields, &e.server.Page) }

// readFields reads what all fields hold, which must have those of the intents.
func (e *engine) readFields(fields []intent.Intent) (items []item, err error) {
	page, at := e.page, -1
	err = e.look(e.held(), "", func() bool {
		at = slices.IndexFunc(fields, func(in intent.Intent) bool { return find(e.page, in, in.Text, false) < 0 })
		return at < 0
	})
	if items = e.page; e.server.Fields != nil {
		e.page = page
	}
	if err == nil && at >= 0 {
		err = gaveUp(fields[at], "no answer of the server shows such a field")
	}
	return items, err
}

// wrong returns the intents whose field does not hold what they want. The answer to the call that filled
// them counts for what the server does not show.
func (e *engine) wrong(after []item, fields []intent.Intent, answer adapter.Result) (wrong []intent.Intent) {
	for _, in := range fields {
		it := after[find(after, in, in.Text, false)]
		right := it.holds(in)
		if unseen := e.held().NoBoxes && it.isBox() || e.held().NoValues; unseen {
			right = !e.server.Fails(answer)
		}
		if !right {
			wrong = append(wrong, in)
		}
	}
	return wrong
}

// other names a field that changed although no intent names it; empty if there is none. A radio
// button changes with the others of its group.
func (e *engine) other(before, after []item, fields []intent.Intent) string {
	of := func(items []item) (keys []string, held map[string]string) {
		count := make(map[string]int)
		held = make(map[string]string)
		own := make(map[int]bool)
		for _, in := range fields {
			at := find(items, in, in.Text, false)
			for i := at; i >= 0 && i < len(items) && (i == at || items[i].indent > items[at].indent); i++ {
				own[i] = true // also its parts: a date has day, month and year
			}
		}
		for i, it := range items {
			key := it.role + " " + display.Quote(it.name)
			count[key]++
			if own[i] || !it.isField() || it.role == "radio" {
				continue
			}
			key = fmt.Sprintf("%s (%d)", key, count[key])
			keys = append(keys, key)
			held[key] = fmt.Sprint(it.value, it.checked)
		}
		return keys, held
	}
	keys, was := of(before)
	_, is := of(after)
	for _, key := range keys {
		if now, ok := is[key]; ok && now != was[key] {
			return key
		}
	}
	return ""
}
