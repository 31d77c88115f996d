package word

import (
	"fmt"
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
	held           []record.Control // each state that an event showed
	typed          string           // the texts that input events inserted
	inputs, keys   int
	clicks         int
}

// fields returns the fields of the page, in the order in which they were first seen.
func (j *judging) fields() (list []*field) {
	if j.filled != nil {
		return j.all
	}
	byID := map[int]*field{}
	of := func(c *record.Control) *field {
		f := byID[c.ID]
		if f == nil {
			f = &field{}
			byID[c.ID] = f
			list = append(list, f)
			if c.Initial != nil {
				f.before, f.known = *c.Initial, true
			}
		}
		f.Control = *c
		return f
	}
	isField := func(c *record.Control) bool { return c != nil && c.IsField && c.Role != "option" }
	for i := range j.Trace.Before.List {
		if c := &j.Trace.Before.List[i]; isField(c) {
			f := of(c)
			f.before, f.known, f.read = c.Value, true, true
		}
	}
	for i := range j.events {
		e := &j.events[i]
		for k := range e.Fields {
			f := of(&e.Fields[k])
			f.held = append(f.held, e.Fields[k])
		}
		if !isField(e.Control) {
			continue
		}
		f := of(e.Control)
		switch e.Kind {
		case "input", "change":
			f.inputs++
			f.typed += e.Data
			f.held = append(f.held, *e.Control)
		case "key":
			f.keys++
		case "click":
			f.clicks++
		}
	}
	docs := map[string]bool{} // of the call; the page may show another document now
	for _, f := range list {
		docs[f.Doc] = true
	}
	for i := range j.Trace.After.List {
		if c := &j.Trace.After.List[i]; isField(c) && (docs[c.Doc] || len(docs) == 0) {
			of(c).after = true
		}
	}
	j.all, j.filled = list, map[*field]bool{}
	for i := range j.asks {
		if a := &j.asks[i]; a.does == server.Fills {
			for _, f := range answering(a, list) {
				j.filled[f] = true
			}
		}
	}
	return list
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
	if squash(c.Value) == squash(value) {
		return true
	}
	a, errA := strconv.ParseFloat(c.Value, 64)
	b, errB := strconv.ParseFloat(value, 64)
	return errA == nil && errB == nil && a == b
}

// answering returns the fields that answer best to the target of an ask.
func answering(a *ask, all []*field) (list []*field) {
	best := place
	for _, f := range all {
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
	all := j.fields()
	named := chosen(answering(a, all), a)
	if len(named) == 0 {
		return j.unnamed(a, all)
	}
	if j.mayBeBetter(a, &named[0].Control) {
		return record.Part{Word: record.NotKnown, Hit: element(&named[0].Control)}
	}
	for _, f := range named {
		if how, ok := f.got(a.value); ok {
			p := record.Part{Word: record.AsAsked, Did: how, Hit: element(&f.Control)}
			one := fmt.Sprintf("fields have this name, and %s got it", where(&f.Control))
			if len(named) > 1 && a.ref == "" {
				p.Word, p.Did = record.OneOfSeveral, fmt.Sprint(len(named), " ", one)
			} else if n := namesakes(f, all); n > 1 && how == "" {
				p.Did = fmt.Sprint(n, " ", one)
			}
			return p
		}
	}
	f := named[0]
	for _, g := range named {
		if g.inputs > f.inputs {
			f = g
		}
	}
	p := record.Part{Hit: element(&f.Control)}
	switch {
	case f.Closed || len(named) > 1 && a.ref != "" || begins(f.Value, a.value):
		p.Word = record.NotKnown
	case f.inputs > 0 && alnum(f.Value) == alnum(a.value) && f.Value != "":
		p.Word, p.Did = record.NotKnown, "it holds "+display.QuoteTo(f.Value, maxNamed)
	case f.inputs > 0:
		p.Word, p.Did = record.OtherValue, "it holds "+display.QuoteTo(f.Value, maxNamed)
	default:
		if g := j.elsewhere(a, all); g != nil {
			p.Word, p.Did, p.Hit = record.OtherElement, show(&g.Control)+" got it", element(&g.Control)
			return p
		}
		hit := p.Hit
		p = j.nothing(f.why(j))
		p.Hit = hit
	}
	return p
}

// begins reports whether a value that the observer cut may be the whole of the one that was asked for.
func begins(held, asked string) bool {
	begin, cut := strings.CutSuffix(held, "…")
	return cut && strings.HasPrefix(squash(asked), squash(begin))
}

// namesakes counts the fields with the role and the name of a field, with itself.
func namesakes(f *field, all []*field) (n int) {
	for _, g := range all {
		if g.Name != "" && g.Name == f.Name && g.Role == f.Role {
			n++
		}
	}
	return n
}

// chosen leaves only the member of a group that the value names, if it names one.
func chosen(named []*field, a *ask) []*field {
	if len(named) < 2 {
		return named
	}
	for _, f := range named {
		if f.Role == "radio" && (squash(f.Name) == squash(a.value) || f.Raw == a.value) {
			return []*field{f}
		}
	}
	return named
}

// got reports whether a field got a value, and how if that is not plain.
func (f *field) got(value string) (how string, ok bool) {
	if holds(&f.Control, value) {
		return "", true
	}
	made := "the page made it " + display.QuoteTo(f.Value, maxNamed)
	for i := range f.held {
		if holds(&f.held[i], value) {
			return made, true
		}
	}
	if f.typed == value && value != "" && f.known && f.before == "" {
		return made, true
	}
	return "", false
}

func (f *field) why(j *judging) string {
	what := "no input reached " + show(&f.Control)
	if f.Disabled {
		return what + ", which is disabled"
	}
	if f.keys > 0 {
		return "keys reached " + show(&f.Control) + ", and no input"
	}
	for i := range j.events {
		e := &j.events[i]
		if e.Kind == "pointer" && e.Outside {
			what += "; " + outside(e)
		} else if e.Kind == "pointer" && e.Control != nil && generic[e.Control.Role] && len(e.At) == 2 {
			what += "; the click at " + strconv.Itoa(e.At[0]) + "," + strconv.Itoa(e.At[1]) + " hit " + show(e.Control)
		}
	}
	return what
}

// elsewhere returns a field that the call does not name and that got the value.
func (j *judging) elsewhere(a *ask, all []*field) *field {
	if a.value == "" {
		return nil
	}
	for _, f := range all {
		if f.inputs == 0 {
			continue
		}
		if _, ok := f.got(a.value); ok && !j.filled[f] {
			return f
		}
	}
	return nil
}

// unnamed judges a field that no field of the page answers to.
func (j *judging) unnamed(a *ask, all []*field) record.Part {
	if a.query == "" && a.target == nil || a.ref != "" {
		return record.Part{Word: record.NotKnown}
	}
	if f := j.elsewhere(a, all); f != nil {
		return record.Part{Word: record.OtherName, Did: show(&f.Control) + " got it", Hit: element(&f.Control)}
	}
	if j.first("input", "change") != nil || !j.Trace.Before.Whole && !j.Trace.After.Whole {
		return record.Part{Word: record.NotKnown}
	}
	return j.nothing("no field has this name")
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
	switch {
	case to == nil:
		return j.nothing("no key and no input came")
	case data == a.value, keys >= len([]rune(a.value)), to.Control != nil && holds(to.Control, a.value):
		p := record.Part{Word: record.AsAsked, Did: "to " + show(to.Control), Hit: element(to.Control)}
		if to.Control != nil && !to.Control.IsField && inputs == 0 {
			p = j.effect(p, a)
		}
		return p
	}
	return record.Part{Word: record.NotKnown, Did: "to " + show(to.Control), Hit: element(to.Control)}
}

// alnum returns only the letters and digits of a text.
func alnum(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n.,-/()+:;_'", r) {
			return -1
		}
		return r
	}, s)
}
