// Package word says what the pages got of a call: a word for each thing that the call asked for. It
// reads nothing but the log, and understands no language: it compares names, values and events.
package word

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// maxParts is how many parts of a call are judged.
const maxParts = 100

// step is a call, its answer, and what the pages got.
type step struct {
	Server *server.Server
	adapter.Step
	Refs  *refs        // from the answers before this one
	Trace record.Trace // unpacked
}

// judge returns a word for each thing that the call asked for.
func judge(s step) (parts []record.Part) {
	act, _ := s.Server.ToolOf(s.Call)
	j := &judging{step: s, isError: s.Result.Raw == nil || s.Result.IsError()}
	for _, e := range s.Trace.Events {
		if e.Target == s.Trace.Tab {
			j.events = append(j.events, e)
		}
	}
	said, _, _ := strings.Cut(s.Result.Text(), cmp.Or(s.Server.Answers.Rest, "\x00"))
	j.said = said
	if failed := s.Server.Answers.Failed; failed != nil {
		for _, m := range failed.FindAllStringSubmatch(s.Result.Text(), -1) {
			j.marked += m[1] + "\n"
		}
	}
	if act.Asks() {
		j.asks = asks(act, s.Call, s.Refs)
	}
	if len(j.asks) > maxParts {
		j.asks = j.asks[:maxParts]
	}
	for i := range j.asks {
		a := &j.asks[i]
		if a.ref != "" && act.Fields == "" {
			a.node = s.Trace.Node
		}
		p := j.part(a)
		switch p.Word {
		case record.OtherElement, record.OtherName, record.OtherValue: // what was asked for may be among the events that are missing
			if j.Trace.Cut {
				p.Word = record.NotKnown
			}
		}
		p.Asked, p.Value = a.words(), display.Cut(a.value, maxNamed)
		if p.Asked == a.ref && a.does == server.Fills && p.Hit != nil && p.Hit.Name != "" && p.Word != record.OtherElement {
			p.Asked = p.Hit.Name // the field that the ref named, and not only a number
		}
		j.answered(&p, a)
		parts = append(parts, p)
	}
	if act.Does != server.Answers {
		parts = append(parts, j.dialogs()...)
	}
	if act.Does != server.Opens {
		parts = append(parts, j.tabs()...)
	}
	if act.Does == server.Clicks || act.Does == server.Fills {
		parts = append(parts, j.others(parts)...)
	}
	return parts
}

type judging struct {
	step
	events  []record.Heard // of the tab of the call
	asks    []ask
	said    string // the answer, without the part that repeats the page
	marked  string // what the answer says has failed
	isError bool
	all     []*field        // see fields
	filled  map[*field]bool // those that an ask to fill names best
}

// deaf says that events may be missing, so that one that was not heard may have happened.
func (j *judging) deaf() bool {
	return j.Trace.Missing != "" || j.Trace.Deaf
}

// answered turns the word of a part into the one that fits its answer, and decides whether the
// part makes the answer a false success.
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
			p.Untrue = p.Hit == nil || p.Hit.Value == "" || !says(j.said, split(p.Hit.Value)) || contains(split(a.value), split(p.Hit.Value))
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
		return says(j.said, w) && !contains(asked, w)
	}
	if named(split(e.Name)) {
		return true
	}
	isRepeated := says(j.said, split(e.Name)) || e.Name == ""
	for i := range j.events {
		if c := j.events[i].Control; c != nil && c.ID == e.ID {
			return isRepeated && (named(split(c.Role)) || named(split(c.Tag))) || named(split(c.Shown))
		}
	}
	return false
}

func (j *judging) part(a *ask) record.Part {
	switch a.does {
	case server.Clicks:
		return j.click(a)
	case server.Fills:
		return j.fill(a)
	case server.Types:
		return j.typed(a)
	case server.Presses:
		if e := j.first("key"); e != nil {
			return record.Part{Word: record.AsAsked, Did: "keys to " + show(e.Control), Hit: element(e.Control)}
		}
		return j.nothing("no key came")
	case server.Drags:
		return j.drag()
	case server.Uploads:
		return j.upload(a)
	case server.Hovers:
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
	if j.Trace.Missing != "" {
		return record.Part{Word: record.NotKnown}
	}
	if j.deaf() {
		return record.Part{Word: record.NotKnown, Did: why + ", but events may be missing"}
	}
	return record.Part{Word: record.Nothing, Did: why}
}

func (j *judging) first(kinds ...string) *record.Heard {
	for i := range j.events {
		if slices.Contains(kinds, j.events[i].Kind) {
			return &j.events[i]
		}
	}
	return nil
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
	for _, c := range j.Trace.After.List {
		if c.IsField && strings.Contains(c.Value, base) {
			return record.Part{Word: record.AsAsked, Hit: element(&c)}
		}
	}
	file := func(c record.Control) bool { return c.Role == "file" }
	if !j.Trace.After.Whole || !slices.ContainsFunc(j.Trace.Before.List, file) && !slices.ContainsFunc(j.Trace.After.List, file) { // a script may keep its field out of the page
		return record.Part{Word: record.NotKnown}
	}
	return j.nothing("no field got the file")
}

// where tells an element from others of its name.
func where(c *record.Control) string {
	if c.Field != "" {
		return display.QuoteTo(c.Field, maxNamed)
	}
	if c.Place != "" {
		return "the one in " + display.QuoteTo(c.Place, 60)
	}
	return "one of them"
}

func show(c *record.Control) string {
	switch {
	case c == nil:
		return "nothing"
	case c.Name == "" && c.Field != "":
		return fmt.Sprintf("%s %s", c.Role, display.QuoteTo(c.Field, maxNamed))
	case c.Role == "page" || c.Role == "body":
		return "the page itself"
	case c.Name == "":
		return "a " + c.Role + " without a name"
	}
	return fmt.Sprintf("%s %s", c.Role, display.QuoteTo(c.Name, maxNamed))
}

func element(c *record.Control) *record.Element {
	if c == nil {
		return nil
	}
	e := c.Element
	return &e
}
