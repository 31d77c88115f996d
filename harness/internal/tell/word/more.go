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
	for _, e := range j.Events {
		if e.Kind != "closed" {
			continue
		}
		message := split(e.Dialog)
		if strings.HasSuffix(e.Dialog, "…") && len(message) > 1 { // it may be cut in the middle of a word
			message = message[:len(message)-1]
		}
		if len(message) == 0 {
			message = []string{"dialog"}
		}
		isUntrue := !j.isError && !says(j.result.Text(), message)
		parts = append(parts, record.Part{Word: record.More, Did: "a dialog was closed, " + e.Text, Untrue: isUntrue, Denied: e.Denied})
	}
	return parts
}

// tabs returns a part for the tabs that were opened although the call opens none.
func (j *judging) tabs() (parts []record.Part) {
	said := j.result.Text()
	for _, e := range j.Events {
		if e.Kind != "tab" {
			continue
		}
		isSaid := strings.Contains(said, e.Target) || strings.Contains(said, cmp.Or(strings.TrimSuffix(e.Text, "…"), "://"))
		parts = append(parts, record.Part{Word: record.More, Did: strings.TrimSpace("a tab was opened " + e.Text)})
		parts[0].Untrue = parts[0].Untrue || !j.isError && !isSaid
	}
	return summed(parts)
}

// summed returns the first of parts that are alike, which says how many more there are.
func summed(parts []record.Part) []record.Part {
	if len(parts) > 1 {
		parts[0].Did += fmt.Sprintf(", and %d more", len(parts)-1)
	}
	return parts[:min(len(parts), 1)]
}

// others returns a part for the fields that the call did not name and that changed. It is an
// unreported side effect if the server wrote into one, and not the page.
func (j *judging) others(parts []record.Part) (more []record.Part) {
	for _, a := range j.asks {
		if a.query == "" && a.point == nil && a.target == nil && a.node == nil {
			return nil // the call names something that we do not know
		}
	}
	for _, f := range j.fields {
		isNative := f.Tag == "input" || f.Tag == "select" || f.Tag == "textarea"
		if !isNative || f.Role == "hidden" || !f.read || f.before == f.Value || j.isAsked(f, parts) || j.isSwitchedOff(f) {
			continue
		}
		p := part(record.More, show(&f.Control)+" became "+display.QuoteTo(f.Value, maxNamed), &f.Control)
		isKnown := !j.Cut && (f.after || j.After.Whole)
		p.Untrue = !j.isError && isKnown && j.wrote(f) && !j.names(p.Hit)
		if more = append(more, p); p.Untrue && !more[0].Untrue {
			more[0] = p
		}
	}
	return summed(more)
}

// isAsked reports whether the call names a field, or reached it by what it names.
func (j *judging) isAsked(f *field, parts []record.Part) bool {
	return j.filled[f] || slices.ContainsFunc(parts, func(p record.Part) bool {
		return p.Hit != nil && (p.Hit.ID == f.ID || p.Hit.Field != "" && p.Hit.Field == f.Field && f.Role == "radio" ||
			p.Hit.Role == "label" && contains(split(p.Hit.Name), split(f.Name)))
	}) || slices.ContainsFunc(j.asks, func(a ask) bool { return a.match(&f.Control) >= words })
}

// isSwitchedOff reports whether the browser switched a radio off, because another one of its group is on now.
func (j *judging) isSwitchedOff(f *field) bool {
	return f.Role == "radio" && f.Field != "" && f.Value == "off" && slices.ContainsFunc(j.fields, func(g *field) bool {
		return g.Role == "radio" && g.Doc == f.Doc && g.Field == f.Field && g.Value == "on" && g.before != g.Value
	})
}

// wrote reports whether the server and not the page changed a field: it pressed on it, or it inserted
// what no call asked for. A page may spread what was typed into one field over several.
func (j *judging) wrote(f *field) bool {
	typed := ""
	for _, e := range j.events {
		switch {
		case e.Control == nil || e.Control.ID != f.ID || !e.Trusted:
		case e.Kind == "pointer":
			return true
		case e.Kind == "input" && !e.Scripted:
			typed += e.Data
		}
	}
	return typed != "" && !slices.ContainsFunc(j.asks, func(a ask) bool { return a.value != typed && strings.Contains(a.value, typed) })
}
