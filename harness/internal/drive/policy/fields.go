package policy

import (
	"errors"
	"fmt"
	"slices"

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
	if err != nil || !answer.IsError() {
		return err
	}
	answer, _, err = e.by(after(e.server, e.policy), batch[at:])
	if err == nil && answer.IsError() {
		err = gaveUp(batch[0], "the server answered with an error: %s", display.VisibleTo(answer.Text(), maxError))
	}
	return err
}

// by carries out a batch by a policy. If the answer is an error, at says which intent it is about.
func (e *engine) by(policy string, batch []intent.Intent) (answer adapter.Result, at int, err error) {
	way := e.server.Policies[policy]
	last := batch[len(batch)-1]
	fields, form := batch, way.Form
	if last.Verb == intent.Send {
		fields = batch[:len(batch)-1]
		if form = way.Send; form == nil {
			if answer, at, err = e.by(policy, fields); err == nil && !answer.IsError() {
				_, err = e.press(last)
			}
			return answer, at, err
		}
	}
	if form == nil {
		for i, in := range fields {
			if answer, err = e.field(policy, in); err != nil || answer.IsError() {
				e.page = nil
				return answer, i, err
			}
		}
		return answer, 0, nil
	}
	for at < len(fields) {
		var all []server.Values
		seen := make(map[string]bool)
		for _, in := range fields[at:] {
			v := e.valuesOf(item{name: in.Text}, in)
			if err := e.show(in); err != nil {
				return answer, at, err
			}
			if form.Needs("ref") {
				it, err := e.target(in, in.Text)
				if _, missing := errors.AsType[*ending](err); missing && len(all) > 0 {
					break // it may come when the others are filled in
				}
				if err != nil {
					return answer, at, err
				}
				v = e.valuesOf(it, in)
			}
			if form.Join && seen[v["name"]] {
				break // an object has each name once
			}
			seen[v["name"]] = true
			all = append(all, v)
		}
		c := *form
		if at+len(all) < len(fields) && way.Form != nil {
			c = *way.Form // the button comes last
		}
		if answer, err = e.call(c, server.Values{"text": last.Text}, all); err != nil || answer.IsError() {
			e.page = nil
			return answer, at, err
		}
		if at += len(all); at < len(fields) {
			e.page = nil
		}
	}
	if last.Verb == intent.Send {
		e.page = nil
	}
	return answer, 0, nil
}

func (e *engine) field(policy string, in intent.Intent) (adapter.Result, error) {
	it, err := e.target(in, in.Text)
	if err != nil {
		return adapter.Result{}, err
	}
	list := callsOf(e.server, policy, string(in.Verb))
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
			if send := e.server.Policies[e.policy].Send; !send.Needs("ref") && e.count(in) > 1 {
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
	for repairs := 0; ; repairs++ {
		if repairs == 0 {
			e.before = e.page
			_, _, err = e.by(policy, wrong)
			if last.Verb == intent.Send {
				return err // changed looks at what came of it
			}
		} else {
			policy = after(e.server, policy)
			for _, in := range wrong {
				if _, err = e.field(policy, in); err != nil {
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
		if wrong = e.wrong(after, fields); wrong == nil {
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

// readFields reads what all fields hold, which must have those of the intents. It looks again once.
func (e *engine) readFields(fields []intent.Intent) (items []item, err error) {
	r := e.server.Fields
	if r == nil {
		r = &e.server.Page
	}
	var missing intent.Intent
	for try := range 2 {
		if try > 0 {
			if err := e.wait(missing.Text); err != nil {
				return nil, err
			}
		}
		answer, err := e.call(r.Call, nil, nil)
		if err != nil {
			return nil, err
		}
		if answer.IsError() {
			return nil, gaveUp(fields[0], "the fields cannot be read: %s", display.Short(answer.Text()))
		}
		items = append([]item{}, parse(e.ctx, *r, answer.Text())...)
		if r == &e.server.Page {
			e.page = items
		}
		at := slices.IndexFunc(fields, func(in intent.Intent) bool { return find(items, in, in.Text, false) < 0 })
		if at < 0 {
			return items, nil
		}
		missing = fields[at]
	}
	return nil, gaveUp(missing, "no answer of the server shows such a field")
}

// wrong returns the intents whose field does not hold what they want.
func (e *engine) wrong(after []item, fields []intent.Intent) (wrong []intent.Intent) {
	for _, in := range fields {
		it := after[find(after, in, in.Text, false)]
		if it.isBox() && e.server.Fields != nil && e.server.Fields.NoBoxes {
			continue
		}
		if !it.holds(in) {
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
