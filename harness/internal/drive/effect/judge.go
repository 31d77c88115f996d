package effect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/listen"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// maxParts is how many parts of a call are judged.
const maxParts = 100

// Step is a call, its answer, and what the pages got.
type Step struct {
	Server session.Server
	Call   adapter.Call
	Result adapter.Result  // without Raw: there is no answer
	Refs   *Refs           // from the answers before this one
	Node   *listen.Control // the element that the call's ref names; nil: it is not known
	Tab    string          // the tab that the call was made on
	Seen   listen.Taken
}

// Judge returns a word for each thing that the call asked for, and whether the answer is untrue.
func Judge(s Step) (parts []record.Part, untrue bool) {
	act, _ := s.Server.ActOf(s.Call)
	j := &judging{Step: s, isError: s.Result.Raw == nil || s.Result.IsError()}
	for _, e := range s.Seen.Events {
		if e.Tab == s.Tab {
			j.events = append(j.events, e)
		}
	}
	said, _, _ := strings.Cut(s.Result.Text(), or(s.Server.Rest, "\x00"))
	j.said = split(said)
	if s.Server.Marks != nil {
		for _, m := range s.Server.Marks.FindAllStringSubmatch(s.Result.Text(), -1) {
			j.marked += m[1] + "\n"
		}
	}
	if act.Does != "" && act.Does != session.Opens && act.Does != session.Answers {
		j.asks = asks(act, s.Call, s.Refs)
	}
	if len(j.asks) > maxParts {
		j.asks = j.asks[:maxParts]
	}
	for i := range j.asks {
		a := &j.asks[i]
		if a.ref != "" && act.Fields == "" {
			a.node = s.Node
		}
		p := j.part(a)
		p.Asked, p.Value = a.words(), display.Cut(a.value, maxNamed)
		if p.Asked == a.ref && a.does == session.Fills && p.Hit != nil && p.Hit.Name != "" && p.Word != record.OtherElement {
			p.Asked = p.Hit.Name // the field that the ref named, and not only a number
		}
		j.answered(&p, a)
		parts = append(parts, p)
	}
	if act.Does != session.Answers {
		parts = append(parts, j.dialogs()...)
	}
	if act.Does != session.Opens {
		parts = append(parts, j.tabs()...)
	}
	for _, p := range parts {
		untrue = untrue || p.Untrue
	}
	return parts, untrue
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// judging is the state of [Judge].
type judging struct {
	Step
	events  []listen.Event // of the tab of the call
	asks    []ask
	said    []string // the words of the answer, without the part that repeats the page
	marked  string   // what the answer says has failed
	isError bool
}

// deaf says that events may be missing, so that one that was not heard may have happened.
func (j *judging) deaf() bool {
	if j.Seen.Missing != "" {
		return true
	}
	return slices.ContainsFunc(j.Seen.Lost, func(lost string) bool { return !strings.HasPrefix(lost, listen.LostFields) })
}

// answered turns the word of a part into the one that fits its answer, and decides whether the
// part makes the answer untrue.
func (j *judging) answered(p *record.Part, a *ask) {
	switch {
	case p.Word == record.NotKnown:
	case j.isError && p.Word == record.Nothing:
		p.Word = record.Refused
	case j.isError:
		p.Word = record.ErrorButDone
	case strings.Contains(j.marked, `"`+a.query+`"`) || a.ref != "" && strings.Contains(j.marked, `"`+a.ref+`"`):
	default:
		switch p.Word {
		case record.Nothing:
			p.Untrue = true
		case record.OtherElement, record.OtherName:
			p.Untrue = !j.names(p.Hit)
		case record.OtherValue:
			p.Untrue = p.Hit == nil || p.Hit.Value == "" || !contains(j.said, split(p.Hit.Value)) || contains(split(a.value), split(p.Hit.Value))
		}
	}
}

// names reports whether the answer names the element that was hit: by its name, by its text, or by
// its role or tag. What repeats only the words of the call names nothing.
func (j *judging) names(e *record.Element) bool {
	if e == nil {
		return false
	}
	var asked []string
	for _, a := range j.asks {
		asked = append(asked, split(a.words()+" "+a.value)...)
	}
	named := func(w []string) bool {
		w = w[:min(len(w), 6)]
		return contains(j.said, w) && !contains(asked, w)
	}
	if named(split(e.Name)) {
		return true
	}
	isRepeated := contains(j.said, split(e.Name)) || e.Name == ""
	for i := range j.events {
		if c := j.events[i].Control; c != nil && c.ID == e.ID {
			return isRepeated && (named(split(c.Role)) || named(split(c.Tag))) || named(split(c.Shown))
		}
	}
	return false
}

// dialogs returns a part for each dialog that was closed and that nobody asked to close.
func (j *judging) dialogs() (parts []record.Part) {
	answer := split(j.Result.Text())
	for _, e := range j.Seen.Events {
		if e.Kind != "closed" {
			continue
		}
		message := split(e.Dialog)
		named := contains(answer, message) || len(message) == 0 && slices.Contains(answer, "dialog")
		parts = append(parts, record.Part{Word: record.More, Did: "a dialog was closed, " + e.Text, Untrue: !named && !j.isError})
	}
	return parts
}

// tabs returns a part for each tab that was opened although the call opens none.
func (j *judging) tabs() (parts []record.Part) {
	for _, e := range j.Seen.Events {
		if e.Kind == "tab" {
			named := strings.Contains(j.Result.Text(), e.Tab) || e.Text != "" && strings.Contains(j.Result.Text(), e.Text)
			parts = append(parts, record.Part{Word: record.More, Did: strings.TrimSpace("a tab was opened " + e.Text), Untrue: !named && !j.isError})
		}
	}
	return parts
}

// part judges one thing.
func (j *judging) part(a *ask) record.Part {
	switch a.does {
	case session.Clicks:
		return j.click(a)
	case session.Fills:
		return j.fill(a)
	case session.Types:
		return j.typed(a)
	case session.Presses:
		if e := j.first("key"); e != nil {
			return record.Part{Word: record.AsAsked, Did: "keys to " + show(e.Control), Hit: element(e.Control)}
		}
		return j.nothing("no key came")
	case session.Drags:
		return j.drag()
	case session.Uploads:
		return j.upload(a)
	case session.Hovers:
		for _, e := range j.events {
			if e.Kind == "over" && a.match(e.Control) >= words {
				return record.Part{Word: record.AsAsked, Hit: element(e.Control)}
			}
		}
	}
	return record.Part{Word: record.NotKnown}
}

// nothing is the part that no event reached, if we would have heard one.
func (j *judging) nothing(why string) record.Part {
	if j.Seen.Missing != "" {
		return record.Part{Word: record.NotKnown}
	}
	if j.deaf() {
		return record.Part{Word: record.NotKnown, Did: why + ", but events may be missing"}
	}
	return record.Part{Word: record.Nothing, Did: why}
}

func (j *judging) first(kinds ...string) *listen.Event {
	for i := range j.events {
		if slices.Contains(kinds, j.events[i].Kind) {
			return &j.events[i]
		}
	}
	return nil
}

func (j *judging) click(a *ask) record.Part {
	var hits, pressed []*listen.Event
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
	rivals, several := j.rivals(a, best.Control, level)
	if level >= same && a.query != "" && bystander(best.Control) {
		if c := j.meant(a, best.Control); c != nil {
			p.Hit, p.Did = element(c), "hit "+show(c)
			if !j.got(c) {
				p.Word, p.Hit, p.Did = record.OtherElement, element(best.Control), "hit "+show(best.Control)+"; "+show(c)+" is there"
			}
			return p
		}
	}
	switch {
	case len(rivals) > 0 && a.ref != "" && (a.target.id == "" && len(rivals) > 1 || level > none):
		p.Word = record.NotKnown
	case len(rivals) > 0:
		p.Word = record.OtherElement
		p.Did += "; " + show(&rivals[0]) + " is there"
	case level == none && a.ref != "":
		p.Word = record.NotKnown
	case level == none && !j.surveyed(best.Control.Doc):
		p.Word = record.NotKnown
	case level == none:
		p.Word = record.OtherName
	case level == place && generic[best.Control.Role]:
		p.Word = record.NotKnown
	case several && a.ref == "":
		p.Word = record.OneOfSeveral
	case several:
		p.Word = record.NotKnown
	}
	if p.Word == record.AsAsked || p.Word == record.OneOfSeveral {
		p = j.effect(p, a)
	}
	return p
}

// surveyed reports whether all controls of a document are known.
func (j *judging) surveyed(doc string) bool {
	in := func(list []listen.Control) bool {
		return slices.ContainsFunc(list, func(c listen.Control) bool { return c.Doc == doc })
	}
	return j.Seen.BeforeWhole && in(j.Seen.Before) || j.Seen.Whole && in(j.Seen.After)
}

// bystander reports whether an element is no control itself.
func bystander(c *listen.Control) bool {
	return !c.IsField && (generic[c.Role] || c.Role == "cell" || c.Role == "listitem" || c.Role == "heading")
}

// meant returns the control of the same name as a bystander that was hit; nil if there is none.
func (j *judging) meant(a *ask, hit *listen.Control) *listen.Control {
	for _, list := range [][]listen.Control{j.Seen.Before, j.Seen.After} {
		for i := range list {
			if c := &list[i]; c.ID != hit.ID && c.Doc == hit.Doc && !bystander(c) && c.Role != "label" && c.Role != "hidden" && a.match(c) >= same {
				return c
			}
		}
	}
	return nil
}

// got reports whether something happened to an element in the step.
func (j *judging) got(c *listen.Control) bool {
	return slices.ContainsFunc(j.events, func(e listen.Event) bool {
		return e.Control != nil && e.Control.ID == c.ID && (e.Kind == "click" || e.Kind == "change" || e.Kind == "input")
	}) || slices.ContainsFunc(j.Seen.Changed, func(f record.Field) bool { return f.ID == c.ID })
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
	for _, e := range j.Seen.Events {
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
	case !other && !j.Seen.Moved && len(j.Seen.Changed) == 0 && j.Seen.Whole && p.Word == record.AsAsked:
		p.Word = record.NoEffect
	}
	return p
}

// isFilled reports whether an element is a field that the call asks to fill.
func (j *judging) isFilled(c *listen.Control) bool {
	if !c.IsField {
		return false
	}
	return slices.ContainsFunc(j.asks, func(a ask) bool { return a.does == session.Fills && a.match(c) > none })
}

// rivals returns the controls that answer better to the target than the one that was hit; several
// says that another one answers as well.
func (j *judging) rivals(a *ask, hit *listen.Control, hitLevel level) (better []listen.Control, several bool) {
	seen := map[int]bool{hit.ID: true}
	list := j.Seen.Before
	if !j.Seen.BeforeWhole {
		list = slices.Concat(list, j.Seen.After)
	}
	for _, c := range list {
		if c.Doc != hit.Doc || seen[c.ID] || c.Role == "label" || c.Role == "hidden" || hit.Role == "label" && c.IsField {
			continue
		}
		seen[c.ID] = true
		switch l := a.match(&c); {
		case l > hitLevel && l >= same:
			better = append(better, c)
		case l == hitLevel && l >= same:
			several = several || c.Name == hit.Name
		case l == hitLevel && l > none:
			several = several || l > place || c.Place != hit.Place
		}
	}
	return better, several
}

func (j *judging) drag() record.Part {
	if e := j.first("drop"); e != nil {
		return record.Part{Word: record.AsAsked, Did: "dropped on " + show(e.Control), Hit: element(e.Control)}
	}
	if e := j.first("drag"); e != nil {
		p := j.nothing(show(e.Control) + " was dragged, and dropped nowhere")
		p.Hit = element(e.Control)
		return p
	}
	if e := j.first("pointer"); e != nil {
		return record.Part{Word: record.NotKnown, Did: "a press on " + show(e.Control) + ", and no drag of the browser", Hit: element(e.Control)}
	}
	return j.nothing("no press and no drag came")
}

func (j *judging) upload(a *ask) record.Part {
	base := a.value[strings.LastIndexAny(a.value, `/\`)+1:]
	if base == "" {
		return record.Part{Word: record.NotKnown}
	}
	for _, e := range j.events {
		if e.Control != nil && e.Control.IsField && strings.Contains(e.Control.Value, base) {
			return record.Part{Word: record.AsAsked, Hit: element(e.Control)}
		}
	}
	for _, c := range j.Seen.After {
		if c.IsField && strings.Contains(c.Value, base) {
			return record.Part{Word: record.AsAsked, Hit: element(&c)}
		}
	}
	if !j.Seen.Whole {
		return record.Part{Word: record.NotKnown}
	}
	return j.nothing("no field got the file")
}

// show names an element.
func show(c *listen.Control) string {
	switch {
	case c == nil:
		return "nothing"
	case c.Name == "" && c.Field != "":
		return fmt.Sprintf("%s %s", c.Role, display.QuoteTo(c.Field, maxNamed))
	case c.Role == "page" || c.Role == "body":
		return "the page itself"
	case c.Name == "":
		return "a nameless " + c.Role
	}
	return fmt.Sprintf("%s %s", c.Role, display.QuoteTo(c.Name, maxNamed))
}

func element(c *listen.Control) *record.Element {
	if c == nil {
		return nil
	}
	e := c.Element
	return &e
}
