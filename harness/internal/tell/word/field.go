package word

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// field is what is known of a field during a call.
type field struct {
	record.Control                  // as it was last seen
	before         string           // its value before the call
	known          bool             // before is known
	read           bool             // it was read before the call
	after          bool             // it was read after the call
	held           []record.Control // each state that an event showed, from the last real key on
	keyed          int              // which event that key was, from 1; 0: there was none
	typed          string           // the texts that input events inserted
	inputs, keys   int
}

// readFields finds the fields of the page, and those that the call names.
func (j *judging) readFields() {
	byID := map[int]*field{}
	of := func(c *record.Control) *field {
		f := byID[c.ID]
		if f == nil {
			f = &field{}
			byID[c.ID] = f
			j.fields = append(j.fields, f)
			if c.Initial != nil {
				f.before, f.known = *c.Initial, true
			}
		}
		f.Control = *c
		return f
	}
	isField := func(c *record.Control) bool { return c != nil && c.IsField && c.Role != "option" }
	for i := range j.Before.List {
		if c := &j.Before.List[i]; isField(c) {
			f := of(c)
			f.before, f.known, f.read = c.Value, true, true
		}
	}
	for i, e := range j.events {
		for k := range e.Fields {
			f := of(&e.Fields[k])
			f.held = append(f.held, e.Fields[k])
		}
		isPress := e.Kind == "click" && e.Control != nil && e.Control.Role == "button"
		if isPress || e.Kind == "submit" || e.Kind == "key" && e.Text == "Enter" {
			j.sent = i + 1
		}
		if !isField(e.Control) {
			continue
		}
		f := of(e.Control)
		switch e.Kind {
		case "input", "change":
			if e.Kind == "input" && e.Trusted && !e.Scripted {
				f.held, f.keyed = nil, i+1
			}
			f.inputs++
			f.typed += e.Data
			f.held = append(f.held, *e.Control)
		case "key":
			f.keys++
		}
	}
	docs := map[string]bool{} // of the call; the page may show another document now
	for _, f := range j.fields {
		docs[f.Doc] = true
	}
	for i := range j.After.List {
		if c := &j.After.List[i]; isField(c) && (docs[c.Doc] || len(docs) == 0) {
			of(c).after = true
		}
	}
	j.filled = map[*field]bool{}
	for i := range j.asks {
		if a := &j.asks[i]; a.does == server.Fills {
			for _, f := range j.answering(a) {
				j.filled[f] = true
			}
		}
	}
}

// holds reports whether a field in this state holds the value that was asked for.
func holds(c *record.Control, value string) bool {
	switch c.Role {
	case "checkbox", "radio", "switch", "button":
		switch strings.ToLower(value) {
		case "true", "on", "yes", "checked", "1":
			return c.Value == "on"
		case "false", "off", "no", "unchecked", "0", "":
			return c.Value == "off"
		}
		return c.Value == "on" && (squash(value) == squash(c.Name) || value == c.Raw)
	case "combobox", "listbox":
		if c.Raw == value || strings.EqualFold(squash(c.Value), squash(value)) {
			return true
		}
	}
	a, errA := strconv.ParseFloat(c.Value, 64)
	b, errB := strconv.ParseFloat(value, 64)
	return squash(c.Value) == squash(value) || errA == nil && errB == nil && a == b
}

// answering returns the fields that answer best to the target of an ask.
func (j *judging) answering(a *ask) (list []*field) {
	best := place
	for _, f := range j.fields {
		switch l := a.match(&f.Control); {
		case f.Role == "hidden" || l < best:
		case l > best:
			best, list = l, []*field{f}
		default:
			list = append(list, f)
		}
	}
	return list
}

func (j *judging) fill(a *ask) record.Part {
	named := j.answering(a)
	if len(named) == 0 {
		return j.unnamed(a)
	}
	isMember := func(f *field) bool { // of a group, which the value names
		return f.Role == "radio" && (squash(f.Name) == squash(a.value) || f.Raw == a.value)
	}
	if i := slices.IndexFunc(named, isMember); i >= 0 {
		named = named[i : i+1]
	}
	if j.mayBeBetter(a, &named[0].Control) {
		return part(record.NotKnown, "", &named[0].Control)
	}
	for _, f := range named {
		how, ok := j.kept(f, a.value)
		if !ok {
			continue
		}
		p := part(record.AsAsked, how, &f.Control)
		isOne := len(named) > 1 && a.ref == ""
		if isOne {
			p.Word = record.OneOfSeveral
		}
		if isOne || f.Of > 1 && how == "" {
			p.Did = show(&f.Control) + " got it"
		}
		return p
	}
	f := slices.MaxFunc(named, func(f, g *field) int { return f.inputs - g.inputs })
	held := "it holds " + display.QuoteTo(f.Value, maxNamed)
	switch {
	case isEmptied(f, a.value) && f.keyed < j.sent && f.took(a.value): // the page may have sent it
		return part(record.NotKnown, held, &f.Control)
	case f.inputs > 0 && isEmptied(f, a.value) && (j.Deaf || j.isTaken(a.value)):
		return part(record.NotKnown, held, &f.Control)
	case f.Closed || len(named) > 1 && a.ref != "" || begins(f.Value, a.value):
		return part(record.NotKnown, "", &f.Control)
	case f.inputs > 0 && alnum(f.Value) == alnum(a.value) && f.Value != "":
		return part(record.NotKnown, held, &f.Control)
	case f.inputs > 0:
		return part(record.OtherValue, held, &f.Control)
	}
	if g := j.elsewhere(a); g != nil {
		return part(record.OtherElement, show(&g.Control)+" got it", &g.Control)
	}
	return j.nothing(f.why(j.events), &f.Control)
}

// begins reports whether a value that the observer cut may be the whole of the one that was asked for.
func begins(held, asked string) bool {
	begin, cut := strings.CutSuffix(held, "…")
	return cut && strings.HasPrefix(squash(asked), squash(begin))
}

// kept reports whether a field got a value that it did not lose at once, and how if that is not plain.
func (j *judging) kept(f *field, value string) (how string, ok bool) {
	if holds(&f.Control, value) {
		return "", true
	}
	return "the page made it " + display.QuoteTo(f.Value, maxNamed), f.took(value) && !isEmptied(f, value)
}

// took reports whether a field once held a value that no later key overwrote.
func (f *field) took(value string) bool {
	held := slices.ContainsFunc(f.held, func(c record.Control) bool { return holds(&c, value) })
	return held || f.typed == value && value != "" && f.known && f.before == ""
}

// isEmptied reports whether a field that should hold a value is empty.
func isEmptied(f *field, value string) bool { return f.Value == "" && squash(value) != "" }

// isTaken reports whether the page shows a value elsewhere since the call, such as in a label that it made of it.
func (j *judging) isTaken(value string) bool {
	return find(func(c *record.Control) bool {
		isIt := func(old *record.Control) bool { return old.ID == c.ID && old.Name == c.Name }
		return !c.IsField && contains(split(c.Name+" "+c.Shown), split(value)) && find(isIt, j.Before) == nil
	}, j.After) != nil
}

// why says why no input reached a field.
func (f *field) why(events []record.Heard) string {
	what := "no input reached " + show(&f.Control)
	switch {
	case f.Disabled:
		return what + ", which is disabled"
	case f.keys > 0:
		return "keys reached " + show(&f.Control) + ", and no input"
	}
	for _, e := range events {
		switch {
		case e.Kind != "pointer":
		case e.Outside:
			what += "; " + outside(&e)
		case e.Control != nil && generic[e.Control.Role] && len(e.At) == 2:
			what += fmt.Sprintf("; the click at %d,%d hit %s", e.At[0], e.At[1], show(e.Control))
		}
	}
	return what
}

// elsewhere returns a field that the call does not name and that got the value; nil if there is none.
func (j *judging) elsewhere(a *ask) *field {
	for _, f := range j.fields {
		if (f.took(a.value) || holds(&f.Control, a.value)) && a.value != "" && f.inputs > 0 && !j.filled[f] {
			return f
		}
	}
	return nil
}

// unnamed judges a field that no field of the page answers to.
func (j *judging) unnamed(a *ask) record.Part {
	if a.query == "" {
		return record.Part{Word: record.NotKnown}
	}
	if f := j.elsewhere(a); f != nil {
		return part(record.OtherName, show(&f.Control)+" got it", &f.Control)
	}
	if j.first("input", "change") != nil || !j.Before.Whole && !j.After.Whole {
		return record.Part{Word: record.NotKnown}
	}
	return j.nothing("no field has this name", nil)
}

// typed judges a text that was typed into what had the focus.
func (j *judging) typed(a *ask) record.Part {
	var keys, inputs int
	var data string
	var to *record.Heard
	for i := range j.events {
		switch e := &j.events[i]; e.Kind {
		case "key":
			keys++
			to = e
		case "input":
			inputs++
			data += e.Data
			to = e
		}
	}
	list := j.listed(a.value)
	switch {
	case list != nil:
		return *list
	case to == nil:
		return j.nothing("no key and no input came", nil)
	case inputs == 0 && !takesText(to.Control):
		return j.nothing("keys reached "+show(to.Control)+", and no field has the focus", to.Control)
	}
	p := part(record.NotKnown, "to "+show(to.Control), to.Control)
	if data == a.value || keys >= len([]rune(a.value)) || to.Control != nil && holds(to.Control, a.value) {
		p.Word = record.AsAsked
		if to.Control != nil && !to.Control.IsField && inputs == 0 {
			return j.effect(p, a)
		}
	}
	return p
}

// takesText reports whether text can be typed into an element, as far as its role tells.
func takesText(c *record.Control) bool {
	widgets := []string{"textbox", "searchbox", "combobox", "listbox", "spinbutton", "application"}
	pressed := []string{"checkbox", "radio", "switch", "button", "option", "file", "slider"}
	return c == nil || c.Closed || slices.Contains(widgets, c.Role) || c.IsField && !slices.Contains(pressed, c.Role)
}

// listed judges keys by what a list got last; nil if none did. The browser shows an open list itself, and the
// page hears no keys.
func (j *judging) listed(begins string) *record.Part {
	for _, e := range slices.Backward(j.events) {
		if c := e.Control; e.Trusted && (e.Kind == "input" || e.Kind == "change") && c != nil && c.Tag == "select" {
			p := part(record.AsAsked, show(c)+" holds "+display.QuoteTo(c.Value, maxNamed), c)
			if !strings.HasPrefix(strings.ToLower(squash(c.Value)), strings.ToLower(squash(begins))) {
				p.Word = record.OtherValue
			}
			return &p
		}
	}
	return nil
}

var paste = regexp.MustCompile(`(?i)^(ctrl|control|meta|cmd|controlormeta)\+v$`)

// pressed judges keys that were pressed.
func (j *judging) pressed(a *ask) record.Part {
	e, list := j.first("key"), j.listed("")
	switch {
	case e == nil && list != nil:
		return *list
	case e == nil:
		return j.nothing("no key came", nil)
	case paste.MatchString(a.value) && j.first("input") == nil && !takesText(e.Control):
		return j.nothing("keys reached "+show(e.Control)+", and no field has the focus", e.Control)
	}
	p := part(record.AsAsked, "keys to "+show(e.Control), e.Control)
	if e.Text == "Enter" || e.Text == " " {
		j.isRefused(a, &p)
	}
	return p
}

// alnum returns a text without spaces and punctuation.
func alnum(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n.,-/()+:;_'", r) {
			return -1
		}
		return r
	}, s)
}
