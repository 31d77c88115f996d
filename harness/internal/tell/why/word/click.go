package word

import (
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// click judges a click: what it hit, whether another control answers better, and what came of it.
func (j *judging) click(a *ask) record.Part {
	var hits, pressed []*record.Heard
	for i := range j.events {
		switch e := &j.events[i]; {
		case e.Control == nil || a.last && j.isFilled(e.Control):
		case e.Kind == "click":
			hits = append(hits, e)
		case e.Kind == "pointer":
			pressed = append(pressed, e)
		}
	}
	if len(hits) == 0 && len(pressed) == 0 {
		return j.nothing("no click came")
	}
	if len(hits) == 0 {
		e := pressed[len(pressed)-1]
		p := j.nothing("the press on " + show(e.Control) + " was no click")
		if e.Control.Disabled {
			p = j.nothing(show(e.Control) + " is disabled")
		}
		p.Hit = element(e.Control)
		return p
	}
	if a.query == "" && a.point != nil {
		for _, e := range hits {
			if len(e.At) == 2 && abs(float64(e.At[0])-a.point[0]) <= 1 && abs(float64(e.At[1])-a.point[1]) <= 1 {
				if e.Outside {
					return j.nothing(outside(e))
				}
				return j.effect(record.Part{Word: record.AsAsked, Did: "hit " + show(e.Control), Hit: element(e.Control)}, a)
			}
		}
		return record.Part{Word: record.NotKnown, Hit: element(hits[0].Control)}
	}
	best, level := hits[len(hits)-1], none
	for _, e := range hits {
		if l := a.match(e.Control); l > level {
			best, level = e, l
		}
	}
	if best.Outside {
		return j.nothing(outside(best))
	}
	p := record.Part{Word: record.AsAsked, Hit: element(best.Control), Did: "hit " + show(best.Control)}
	if best.Control.Closed {
		p.Word = record.NotKnown
		return p
	}
	if a.query == "" && a.node != nil {
		if level == none {
			p.Word = record.OtherElement
			return p
		}
		return j.effect(p, a)
	}
	if a.query == "" && a.target == nil {
		p.Word = record.NotKnown
		return p
	}
	rivals, several, unsure := j.rivals(a, best.Control, level)
	if level >= same && a.query != "" && bystander(best.Control) {
		if c := j.meant(a, best.Control); c != nil {
			p.Hit, p.Did = element(c), "hit "+show(c)
			switch {
			case j.got(c):
			case !j.Trace.After.Whole:
				p.Word = record.NotKnown
			default:
				p.Word, p.Hit, p.Did = record.OtherElement, element(best.Control), "hit "+show(best.Control)+"; "+show(c)+" is there"
			}
			return p
		}
	}
	beside := j.beside(a, best.Control)
	switch {
	case len(rivals) > 0 && a.ref != "" && (a.target.id == "" && len(rivals) > 1 || level > none):
		p.Word = record.NotKnown
	case len(rivals) > 0:
		p.Word = record.OtherElement
		p.Did += "; " + show(&rivals[0]) + " is there"
	case unsure || level == none && a.ref != "":
		p.Word = record.NotKnown
	case level == none && !j.surveyed(best.Control.Doc): // whether there is a control of that name is not known
		p.Word = record.OtherElement
	case level == none:
		if c := j.inOther(a, best.Control.Doc); c != nil {
			p.Word = record.OtherElement
			p.Did += "; " + show(c) + " is there"
		} else {
			p.Word, p.Did = record.OtherName, "no control has this name; "+p.Did
		}
	case level <= words && generic[best.Control.Role]: // it may hold what was meant
		p.Word = record.NotKnown
	case level == place && beside != nil:
		p.Did += "; " + show(beside) + " is there"
		if p = j.effect(p, a); p.Word != record.NoEffect || !bystander(best.Control) {
			p.Word = record.NotKnown
		}
	case several && a.ref == "":
		p.Word = record.OneOfSeveral
		if best.Control.Place != "" {
			p.Did += " in " + display.QuoteTo(best.Control.Place, 60)
		}
	case several, j.mayBeBetter(a, best.Control):
		p.Word = record.NotKnown
	}
	if p.Word == record.AsAsked || p.Word == record.OneOfSeveral {
		p = j.effect(p, a)
	}
	return p
}

// outside says where a click was that no element can get.
func outside(e *record.Heard) string {
	if len(e.At) != 2 {
		return "the click is outside the window"
	}
	return fmt.Sprintf("the click at %d,%d is outside the window", e.At[0], e.At[1])
}

// beside returns the control that was rather meant than the one that was hit, as far as their names tell: of
// "Edit" and "Delete" in the row of Ann, "Edit Ann" is not "Delete". It is nil if there is none.
func (j *judging) beside(a *ask, hit *record.Control) *record.Control {
	asked := split(a.query)
	if contains(asked, split(hit.Name)) {
		return nil
	}
	for _, c := range slices.Concat(j.Trace.Before.List, j.Trace.After.List) {
		if c.Doc == hit.Doc && c.ID != hit.ID && c.Place == hit.Place && contains(asked, split(c.Name)) {
			return &c
		}
	}
	return nil
}

// inOther returns a control of this name in another document, such as a frame; nil if there is none.
func (j *judging) inOther(a *ask, doc string) *record.Control {
	for _, c := range j.Trace.Before.List { // after it, there may be another page
		if c.Doc != doc && c.Role != "label" && c.Role != "hidden" && a.match(&c) >= same {
			return &c
		}
	}
	return nil
}

// surveyed reports whether all controls of a document are known.
func (j *judging) surveyed(doc string) bool {
	in := func(list []record.Control) bool {
		return slices.ContainsFunc(list, func(c record.Control) bool { return c.Doc == doc })
	}
	return j.Trace.Before.Whole && in(j.Trace.Before.List) || j.Trace.After.Whole && in(j.Trace.After.List)
}

// mayBeBetter reports whether a control that is not known may answer better than this one to a name.
func (j *judging) mayBeBetter(a *ask, c *record.Control) bool {
	return a.query != "" && a.match(c) < exact && !j.surveyed(c.Doc)
}

// bystander reports whether an element is no control itself.
func bystander(c *record.Control) bool {
	return !c.IsField && (generic[c.Role] || c.Role == "cell" || c.Role == "listitem" || c.Role == "heading")
}

// meant returns the control of the same name as a bystander that was hit; nil if there is none.
func (j *judging) meant(a *ask, hit *record.Control) *record.Control {
	for _, list := range [][]record.Control{j.Trace.Before.List, j.Trace.After.List} {
		for i := range list {
			if c := &list[i]; c.ID != hit.ID && c.Doc == hit.Doc && !bystander(c) && c.Role != "label" && c.Role != "hidden" && a.match(c) >= same {
				return c
			}
		}
	}
	return nil
}

// got reports whether something happened to an element in the step.
func (j *judging) got(c *record.Control) bool {
	return slices.ContainsFunc(j.events, func(e record.Heard) bool {
		return e.Control != nil && e.Control.ID == c.ID && (e.Kind == "click" || e.Kind == "change" || e.Kind == "input")
	}) || slices.ContainsFunc(j.Trace.Changed, func(f record.Field) bool { return f.ID == c.ID })
}

func abs(x float64) float64 { return max(x, -x) }

// generic are the roles of elements that hold others.
var generic = map[string]bool{
	"div": true, "span": true, "main": true, "section": true, "article": true, "body": true, "page": true, "ul": true, "ol": true,
	"list": true, "table": true, "tbody": true, "row": true, "form": true, "fieldset": true, "p": true, "nav": true, "header": true, "footer": true,
}

// effect looks for an effect of a click that hit what it should.
func (j *judging) effect(p record.Part, a *ask) record.Part {
	sent, other, onField, refused := false, false, p.Hit.Role == "label", ""
	for _, e := range j.Trace.Events {
		onField = onField || e.Control != nil && e.Control.ID == p.Hit.ID && e.Control.IsField
		switch e.Kind {
		case "pointer", "click", "key", "over":
		case "invalid":
			refused = show(e.Control)
		case "submit", "navigate":
			sent = true
		default:
			other = true
		}
	}
	switch {
	case sent || j.deaf():
	case a.last && refused != "":
		p.Word, p.Did = record.Nothing, "nothing was sent: the browser refused "+refused
	case onField: // a click on a field only focuses it
	case !other && !j.Trace.Moved && len(j.Trace.Changed) == 0 && j.Trace.After.Whole && p.Word == record.AsAsked:
		p.Word = record.NoEffect
	}
	return p
}

// isFilled reports whether an element is a field that the call asks to fill.
func (j *judging) isFilled(c *record.Control) bool {
	if !c.IsField {
		return false
	}
	return slices.ContainsFunc(j.asks, func(a ask) bool { return a.does == server.Fills && a.match(c) > none })
}

// rivals returns the controls that answer better to the target than the one that was hit; several
// says that another one answers as well, and unsure that one may do so that may have come after the click. A control that stood in the place of the hit before the page drew
// it again is no other one.
func (j *judging) rivals(a *ask, hit *record.Control, hitLevel level) (better []record.Control, several, unsure bool) {
	seen := map[int]bool{hit.ID: true}
	list, known := j.Trace.Before.List, len(j.Trace.Before.List)
	isNew := !slices.ContainsFunc(list, func(c record.Control) bool { return c.ID == hit.ID })
	if !j.Trace.Before.Whole {
		list = slices.Concat(list, j.Trace.After.List)
	}
	for i, c := range list {
		if c.Doc != hit.Doc || seen[c.ID] || c.Role == "label" || c.Role == "hidden" || hit.Role == "label" && c.IsField {
			continue
		}
		seen[c.ID] = true
		if isNew && i < known && c.Role == hit.Role && c.Name == hit.Name && c.Place == hit.Place && c.Field == hit.Field {
			isNew = false
			continue
		}
		switch l := a.match(&c); {
		case i >= known:
			unsure = unsure || l >= max(hitLevel, place)
		case l > hitLevel && l >= same:
			better = append(better, c)
		case l == hitLevel && l >= same:
			several = several || c.Name == hit.Name
		case l == hitLevel && l > none:
			several = several || l > place || c.Place != hit.Place
		}
	}
	return better, several, unsure
}
