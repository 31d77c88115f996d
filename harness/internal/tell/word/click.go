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
	var hits []*record.Heard
	var press *record.Heard // the last one
	for i := range j.events {
		switch e := &j.events[i]; {
		case e.Control == nil || a.last && j.isFilled(e.Control):
		case e.Kind == "click":
			hits = append(hits, e)
		case e.Kind == "pointer":
			press = e
		}
	}
	isGone, isKnown := false, true
	if press != nil && !press.Control.Disabled {
		isGone, isKnown = j.isGone(press.Control)
	}
	if isGone {
		hits = append([]*record.Heard{press}, hits...)
	}
	switch {
	case hits != nil && a.point != nil:
		return j.clickAt(a, hits)
	case hits != nil:
		return j.clickOn(a, hits)
	case press == nil:
		return j.nothing("no click came", nil)
	case press.Control.Disabled:
		return j.nothing(show(press.Control)+" is disabled", press.Control)
	case !isKnown:
		return part(record.NotKnown, "a press on "+show(press.Control), press.Control)
	}
	return j.nothing("the press on "+show(press.Control)+" was no click", press.Control)
}

// isGone reports whether the page has no longer what was pressed: a list may take an option at the press, and the
// browser then sends no click, or sends it to what is around. What the page drew again is not gone. It is not known of
// what a page that changed does not list.
func (j *judging) isGone(c *record.Control) (gone, known bool) {
	stays := find(func(now *record.Control) bool {
		isOld := func(old *record.Control) bool { return old.Doc == now.Doc && old.ID == now.ID }
		isLike := now.Role == c.Role && now.Name == c.Name && now.Place == c.Place
		return now.Doc == c.Doc && (now.ID == c.ID || isLike && find(isOld, j.Before) == nil)
	}, j.After) != nil
	isListed := find(func(old *record.Control) bool { return old.Doc == c.Doc && old.ID == c.ID }, j.Before) != nil
	isListed = j.After.Whole && (isListed || !isBystander(c))
	return !stays && isListed, stays || isListed || !j.Moved && len(j.Changed) == 0
}

func (j *judging) clickAt(a *ask, hits []*record.Heard) record.Part {
	isNear := func(x int, to float64) bool { return max(float64(x)-to, to-float64(x)) <= 1 }
	for _, e := range hits {
		switch {
		case len(e.At) != 2 || !isNear(e.At[0], a.point[0]) || !isNear(e.At[1], a.point[1]):
		case e.Outside:
			return j.nothing(outside(e), nil)
		default:
			return j.effect(part(record.AsAsked, "hit "+show(e.Control), e.Control), a)
		}
	}
	return part(record.NotKnown, "", hits[0].Control)
}

func (j *judging) clickOn(a *ask, hits []*record.Heard) record.Part {
	best, level := hits[len(hits)-1], none
	for _, e := range hits {
		if l := a.match(e.Control); l > level {
			best, level = e, l
		}
	}
	hit := best.Control
	p := part(record.AsAsked, "hit "+show(hit), hit)
	switch {
	case best.Outside:
		return j.nothing(outside(best), nil)
	case hit.Closed || a.query == "" && a.node == nil && a.target == nil:
		p.Word = record.NotKnown
		return p
	case a.node != nil && level == none:
		p.Word = record.OtherElement
		return p
	}
	isControl := func(c *record.Control) bool { return c.Role != "label" && c.Role != "hidden" }
	if level >= same && a.query != "" && isBystander(hit) {
		meant := find(func(c *record.Control) bool {
			return c.ID != hit.ID && c.Doc == hit.Doc && isControl(c) && !isBystander(c) && a.match(c) >= same
		}, j.Before, j.After)
		switch {
		case meant == nil:
		case j.happened(meant):
			return part(record.AsAsked, "hit "+show(meant), meant)
		case !j.After.Whole:
			return part(record.NotKnown, "hit "+show(meant), meant)
		default:
			return part(record.OtherElement, p.Did+"; "+show(meant)+" is there", hit)
		}
	}
	rivals, several, unsure := j.rivals(a, hit, level)
	beside := j.beside(a, hit)
	switch {
	case len(rivals) > 0 && a.ref != "" && (a.target.id == "" && len(rivals) > 1 || level > none):
		p.Word = record.NotKnown
	case len(rivals) > 0:
		p.Word = record.OtherElement
		p.Did += "; " + show(&rivals[0]) + " is there"
	case unsure || level == none && a.ref != "":
		p.Word = record.NotKnown
	case level == none && !j.isSurveyed(hit.Doc): // whether there is a control of that name is not known
		p.Word = record.OtherElement
	case level == none:
		// It may be in another document, such as a frame. After the click, there may be another page.
		inOther := find(func(c *record.Control) bool {
			return c.Doc != hit.Doc && isControl(c) && a.match(c) >= same
		}, j.Before)
		if inOther == nil {
			p.Word, p.Did = record.OtherName, "no control has this name; "+p.Did
			break
		}
		p.Word = record.OtherElement
		p.Did += "; " + show(inOther) + " is there"
	case level <= words && generic[hit.Role]: // it may hold what was meant
		p.Word = record.NotKnown
	case level == place && beside != nil:
		p.Did += "; " + show(beside) + " is there"
		if p = j.effect(p, a); p.Word != record.NoEffect || !isBystander(hit) {
			p.Word = record.NotKnown
		}
	case several && a.ref == "":
		p.Word = record.OneOfSeveral
		if hit.Place != "" {
			p.Did += " in " + display.QuoteTo(hit.Place, 60)
		}
	case several, j.mayBeBetter(a, hit):
		p.Word = record.NotKnown
	}
	if p.Word == record.AsAsked || p.Word == record.OneOfSeveral {
		return j.effect(p, a)
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
	return find(func(c *record.Control) bool {
		return c.Doc == hit.Doc && c.ID != hit.ID && c.Place == hit.Place && contains(asked, split(c.Name))
	}, j.Before, j.After)
}

// isSurveyed reports whether all controls of a document are known.
func (j *judging) isSurveyed(doc string) bool {
	return slices.ContainsFunc([]record.Survey{j.Before, j.After}, func(s record.Survey) bool {
		return s.Whole && find(func(c *record.Control) bool { return c.Doc == doc }, s) != nil
	})
}

// mayBeBetter reports whether a control that is not known may answer better than this one to a name.
func (j *judging) mayBeBetter(a *ask, c *record.Control) bool {
	return a.query != "" && a.match(c) < exact && !j.isSurveyed(c.Doc)
}

// isBystander reports whether an element is no control itself.
func isBystander(c *record.Control) bool {
	return !c.IsField && (generic[c.Role] || c.Role == "cell" || c.Role == "listitem" || c.Role == "heading")
}

// happened reports whether something happened to an element in the step.
func (j *judging) happened(to *record.Control) bool {
	return slices.ContainsFunc(j.events, func(e record.Heard) bool {
		return e.Control != nil && e.Control.ID == to.ID && (e.Kind == "click" || e.Kind == "change" || e.Kind == "input")
	}) || slices.ContainsFunc(j.Changed, func(f record.Field) bool { return f.ID == to.ID })
}

// generic are the roles of elements that hold others.
var generic = map[string]bool{
	"div": true, "span": true, "main": true, "section": true, "article": true, "body": true, "page": true, "ul": true, "ol": true,
	"list": true, "table": true, "tbody": true, "row": true, "form": true, "fieldset": true, "p": true, "nav": true, "header": true, "footer": true,
}

// effect looks for an effect of a click that hit what it should.
func (j *judging) effect(p record.Part, a *ask) record.Part {
	isSent, isOther, onField := false, false, p.Hit.Role == "label"
	for _, e := range j.Events {
		onField = onField || e.Control != nil && e.Control.ID == p.Hit.ID && e.Control.IsField
		switch e.Kind {
		case "pointer", "click", "key", "over", "invalid":
		case "submit", "navigate":
			isSent = true
		default:
			isOther = true
		}
	}
	switch {
	case isSent || j.Missing != "" || j.Deaf: // or it may have been sent
	case (a.last || p.Hit.Role == "button") && j.isRefused(a, &p):
	case onField: // a click on a field only focuses it
	case !isOther && !j.Moved && len(j.Changed) == 0 && j.After.Whole && p.Word == record.AsAsked:
		p.Word = record.NoEffect
	}
	return p
}

// isRefused reports whether the browser refused a field after a press, so that nothing was sent. The part then says so.
func (j *judging) isRefused(a *ask, p *record.Part) bool {
	e := j.first("invalid") // the browser shows the first
	a.refused = e != nil && j.first("submit", "navigate") == nil && j.Missing == "" && !j.Deaf
	if a.refused {
		p.Word, p.Did = record.Nothing, "nothing was sent: the browser refused "+show(e.Control)
	}
	return a.refused
}

// isFilled reports whether an element is a field that the call asks to fill.
func (j *judging) isFilled(c *record.Control) bool {
	return c.IsField && slices.ContainsFunc(j.asks, func(a ask) bool { return a.does == server.Fills && a.match(c) > none })
}

// rivals returns the controls that answer better to the target than the one that was hit; several
// says that another one answers as well, and unsure that one may do so that may have come after the
// click. A control that stood in the place of the hit before the page drew it again is no other one.
func (j *judging) rivals(a *ask, hit *record.Control, hitLevel level) (better []record.Control, several, unsure bool) {
	seen := map[int]bool{hit.ID: true}
	list, known := j.Before.List, len(j.Before.List)
	isNew := !slices.ContainsFunc(list, func(c record.Control) bool { return c.ID == hit.ID })
	if !j.Before.Whole {
		list = slices.Concat(list, j.After.List)
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
