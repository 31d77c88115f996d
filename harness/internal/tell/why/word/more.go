package word

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// dialogs returns a part for each dialog that was closed and that nobody asked to close.
func (j *judging) dialogs() (parts []record.Part) {
	for _, e := range j.Trace.Events {
		if e.Kind != "closed" {
			continue
		}
		message := split(e.Dialog)
		if strings.HasSuffix(e.Dialog, "…") && len(message) > 1 { // it may be cut in the middle of a word
			message = message[:len(message)-1]
		}
		named := says(j.Result.Text(), message) || len(message) == 0 && says(j.Result.Text(), []string{"dialog"})
		parts = append(parts, record.Part{Word: record.More, Did: "a dialog was closed, " + e.Text, Untrue: !named && !j.isError})
	}
	return parts
}

// tabs returns a part for the tabs that were opened although the call opens none.
func (j *judging) tabs() []record.Part {
	p, n := record.Part{Word: record.More}, 0
	for _, e := range j.Trace.Events {
		if e.Kind != "tab" {
			continue
		}
		said := j.Result.Text()
		named := strings.Contains(said, e.Target) || strings.Contains(said, cmp.Or(strings.TrimSuffix(e.Text, "…"), "://"))
		p.Untrue = p.Untrue || !named && !j.isError
		if n++; n == 1 {
			p.Did = strings.TrimSpace("a tab was opened " + e.Text)
		}
	}
	switch {
	case n == 0:
		return nil
	case n > 1:
		p.Did += fmt.Sprintf(", and %d more", n-1)
	}
	return []record.Part{p}
}

// others returns a part for the fields that the call did not name and that changed. It is an
// unreported side effect if the server wrote into one, and not the page.
func (j *judging) others(parts []record.Part) []record.Part {
	for i := range j.asks {
		if a := &j.asks[i]; a.query == "" && a.point == nil && a.target == nil && a.node == nil {
			return nil // the call names something that we do not know
		}
	}
	all := j.fields()
	asked := func(f *field) bool {
		return slices.ContainsFunc(parts, func(p record.Part) bool {
			return p.Hit != nil && (p.Hit.ID == f.ID || p.Hit.Field != "" && p.Hit.Field == f.Field && f.Role == "radio" ||
				p.Hit.Role == "label" && contains(split(p.Hit.Name), split(f.Name)))
		}) || j.filled[f] || slices.ContainsFunc(j.asks, func(a ask) bool { return a.match(&f.Control) >= words })
	}
	var more *record.Part
	n := 0
	for _, f := range all {
		isNative := f.Tag == "input" || f.Tag == "select" || f.Tag == "textarea"
		if !isNative || f.Role == "hidden" || !f.read || f.before == f.Value || asked(f) || switchedOff(f, all) {
			continue
		}
		p := record.Part{Word: record.More, Hit: element(&f.Control)}
		isKnown := !j.Trace.Cut && (f.after || j.Trace.After.Whole)
		p.Untrue = !j.isError && isKnown && j.wrote(f) && !j.names(p.Hit)
		p.Did = fmt.Sprintf("%s became %s", show(&f.Control), display.QuoteTo(f.Value, maxNamed))
		if n++; more == nil || p.Untrue && !more.Untrue {
			more = &p
		}
	}
	if n > 1 {
		more.Did += fmt.Sprintf(", and %d more", n-1)
	}
	if more == nil {
		return nil
	}
	return []record.Part{*more}
}

// switchedOff reports whether the browser switched a radio off, because another one of its group is on now.
func switchedOff(f *field, all []*field) bool {
	return f.Role == "radio" && f.Field != "" && f.Value == "off" && slices.ContainsFunc(all, func(g *field) bool {
		return g.Role == "radio" && g.Doc == f.Doc && g.Field == f.Field && g.Value == "on" && g.before != g.Value
	})
}

// wrote reports whether the server and not the page changed a field: it pressed on it, or it inserted
// what no call asked for. A page may spread what was typed into one field over several.
func (j *judging) wrote(f *field) bool {
	typed := ""
	for i := range j.events {
		switch e := &j.events[i]; {
		case e.Control == nil || e.Control.ID != f.ID || !e.Trusted:
		case e.Kind == "pointer":
			return true
		case e.Kind == "input" && !e.Scripted:
			typed += e.Data
		}
	}
	return typed != "" && !slices.ContainsFunc(j.asks, func(a ask) bool { return a.value != typed && strings.Contains(a.value, typed) })
}
