// Package word says what the pages got of a call: a word for each thing that the call asked for. It
// reads nothing but the log, and understands no language: it compares names, values and events.
package word

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Partial returns the lines with which the answer to a call says that a part of it failed, or that the answer
// leaves something out; empty if it has none. Where a call asks a page for nothing, such lines are the page's.
func Partial(s *server.Server, call adapter.Call, answer string) string {
	var lines []string
	if tool, _ := s.ToolOf(call); tool.Asks() {
		lines = failed(s, answer)
	}
	if leftOut := s.Answers.LeftOut; leftOut != nil {
		lines = append(lines, leftOut.FindAllString(answer, -1)...)
	}
	return strings.Join(lines, "\n")
}

// failed are the lines that say that a part of a call failed.
func failed(s *server.Server, answer string) []string {
	if s.Answers.Failed == nil {
		return nil
	}
	return s.Answers.Failed.FindAllString(s.Said(answer), -1)
}

// judging is a call, its answer, and what the pages got, while the words are made of them.
type judging struct {
	record.Trace                 // unpacked
	events       []record.Heard  // of the tab of the call
	result       adapter.Result  // the answer
	said         string          // the answer, without the part that repeats the page
	marked       string          // what the answer says has failed
	isError      bool            // so is a call without an answer
	asks         []ask           // what the call asks for
	fields       []*field        // of the page, in the order in which they were first seen
	filled       map[*field]bool // those that an ask to fill names best
	sent         int             // which event was the last press of a button or of Enter, from 1; 0: there was none
	list         *record.Control // that may be open, and gets the keys of the call; nil: none is
}

// judge returns a word for each thing that the last call asked for.
func judge(r *Reader, t record.Trace) (parts []record.Part) {
	s, call := r.Server, r.last
	tool, _ := s.ToolOf(call.Call)
	answer := call.Result.Text()
	j := &judging{
		Trace: t, asks: asks(tool, call.Call, &r.refs, t.Node),
		result: call.Result, isError: call.Result.Raw == nil || call.Result.IsError(),
	}
	if tool.Does == server.Types || tool.Does == server.Presses {
		j.list = r.list
	}
	j.events = slices.DeleteFunc(slices.Clone(t.Events), func(e record.Heard) bool { return e.Target != t.Tab })
	j.said, j.marked = s.Said(answer), strings.Join(failed(s, answer), "\n")
	j.readFields()
	for i := range j.asks {
		parts = append(parts, j.judge(&j.asks[i]))
	}
	if tool.Does != server.Answers {
		parts = append(parts, j.dialogs()...)
	}
	if tool.Does != server.Opens {
		parts = append(parts, j.tabs()...)
	}
	if tool.Does == server.Clicks || tool.Does == server.Fills {
		parts = append(parts, j.others(parts)...)
	}
	return parts
}

// judge returns the word for one thing that the call asked for. With the answer, it decides whether that
// makes the answer a false success.
func (j *judging) judge(a *ask) record.Part {
	p := j.got(a)
	isOther := p.Word == record.OtherElement || p.Word == record.OtherName || p.Word == record.OtherValue
	if isOther && j.Cut { // what was asked for may be among the events that are missing
		p.Word = record.NotKnown
	}
	p.Asked, p.Value = a.words(), display.Cut(a.value, maxNamed)
	if p.Asked == a.ref && a.does == server.Fills && p.Hit != nil && p.Hit.Name != "" && p.Word != record.OtherElement {
		p.Asked = p.Hit.Name // the field that the ref named, and not only a number
	}
	isMarked := func(a *ask) bool {
		return strings.Contains(j.marked, `"`+a.query+`"`) || a.ref != "" && strings.Contains(j.marked, `"`+a.ref+`"`)
	}
	switch {
	case p.Word == record.NotKnown:
	case p.Word == record.Nothing && (j.isError || isMarked(a)):
		p.Word = record.Refused
	case j.isError:
		p.Word = record.ErrorButDone
	case isMarked(a):
	case p.Word == record.Nothing:
		p.Untrue = !a.refused || a.last // who asks only for a press got it
	case p.Word == record.OtherElement || p.Word == record.OtherName:
		p.Untrue = !j.names(p.Hit)
	case p.Word == record.OtherValue:
		held := split(p.Hit.Value)
		p.Untrue = !says(j.saidOf(a, p.Hit), held) || contains(split(a.value), held)
	}
	return p
}

// saidOf is what the answer says of the field of an ask: all that stands between its name and the next name that
// the call asks for, or the end of the line.
func (j *judging) saidOf(a *ask, hit *record.Element) (of string) {
	if len(j.asks) == 1 {
		return j.said
	}
	names := []string{a.words(), cmp.Or(hit.Name, a.words())}
	marks := []string{`$`, `\n`, regexp.QuoteMeta(names[1])}
	for i := range j.asks {
		marks = append(marks, regexp.QuoteMeta(j.asks[i].words()))
	}
	slices.SortFunc(marks, func(a, b string) int { return len(b) - len(a) }) // "Name of the cat" is not "Name"
	pattern, err := regexp.Compile("(?i)" + strings.Join(marks, "|"))
	if err != nil {
		return j.said
	}
	said := j.said[:min(len(j.said), 64<<10)] // a server may say millions of names
	places := pattern.FindAllStringIndex(said, -1)
	for i, p := range places[:max(len(places)-1, 0)] {
		isIt := func(name string) bool { return strings.EqualFold(name, said[p[0]:p[1]]) }
		if slices.ContainsFunc(names, isIt) {
			of += said[p[1]:places[i+1][0]] + "\n"
		}
	}
	return of
}

// names reports whether the answer names the element that was hit: by its name, by its text, or by
// its role or tag. What repeats only the words of the call names nothing.
func (j *judging) names(e *record.Element) bool {
	var asked []string
	for _, a := range j.asks {
		asked = append(asked, split(a.words()+" "+a.value)...)
	}
	isNamed := func(by string) bool {
		words := split(by)
		words = words[:min(len(words), 6)]
		return says(j.said, words) && !contains(asked, words)
	}
	if isNamed(e.Name) {
		return true
	}
	isRepeated := says(j.said, split(e.Name)) || e.Name == ""
	for _, h := range j.events {
		if c := h.Control; c != nil && c.ID == e.ID {
			return isRepeated && (isNamed(c.Role) || isNamed(c.Tag)) || isNamed(c.Shown)
		}
	}
	return false
}

// got is what the pages got of an ask, whatever the answer is.
func (j *judging) got(a *ask) record.Part {
	switch a.does {
	case server.Clicks:
		return j.click(a)
	case server.Fills:
		return j.fill(a)
	case server.Types:
		return j.typed(a)
	case server.Presses:
		return j.pressed(a)
	case server.Drags:
		return j.drag()
	case server.Uploads:
		return j.upload(a)
	case server.Hovers:
		for _, e := range j.events {
			if e.Kind == "over" && a.match(e.Control) >= words {
				return part(record.AsAsked, "", e.Control)
			}
		}
	}
	return record.Part{Word: record.NotKnown}
}

// part returns a part without what was asked for. hit is the element that got it; nil: it is not known.
func part(word record.Word, did string, hit *record.Control) record.Part {
	p := record.Part{Word: word, Did: did}
	if hit != nil {
		p.Hit = new(hit.Element)
	}
	return p
}

// nothing is the part that no event reached, if we would have heard one.
func (j *judging) nothing(why string, hit *record.Control) record.Part {
	switch {
	case j.Missing != "":
		return part(record.NotKnown, "", hit)
	case j.Deaf:
		return part(record.NotKnown, why+", but events may be missing", hit)
	case hit == nil && j.list != nil:
		return part(record.NotKnown, why+", but "+show(j.list)+" may be open", nil)
	}
	return part(record.Nothing, why, hit)
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
		return part(record.AsAsked, "dropped on "+show(e.Control), e.Control)
	}
	if e := j.first("drag"); e != nil {
		return j.nothing(show(e.Control)+" was dragged, and dropped nowhere", e.Control)
	}
	if e := j.first("pointer"); e != nil {
		return part(record.NotKnown, "a press on "+show(e.Control)+", and no drag of the browser", e.Control)
	}
	return j.nothing("no press and no drag came", nil)
}

func (j *judging) upload(a *ask) record.Part {
	base := a.value[strings.LastIndexAny(a.value, `/\`)+1:]
	if base == "" {
		return record.Part{Word: record.NotKnown}
	}
	hasIt := func(c *record.Control) bool { return c != nil && c.IsField && strings.Contains(c.Value, base) }
	for _, e := range j.events {
		if hasIt(e.Control) {
			return part(record.AsAsked, "", e.Control)
		}
	}
	if c := find(hasIt, j.After); c != nil {
		return part(record.AsAsked, "", c)
	}
	isFile := func(c *record.Control) bool { return c.Role == "file" }
	if !j.After.Whole || find(isFile, j.Before, j.After) == nil { // a script may keep its field out of the page
		return record.Part{Word: record.NotKnown}
	}
	return j.nothing("no field got the file", nil)
}

// find returns the first control of pages that is what is looked for; nil if none is.
func find(is func(*record.Control) bool, in ...record.Survey) *record.Control {
	for _, s := range in {
		for i := range s.List {
			if is(&s.List[i]) {
				return &s.List[i]
			}
		}
	}
	return nil
}

func show(c *record.Control) string {
	switch {
	case c == nil:
		return "nothing"
	case c.Role == "page" || c.Role == "body":
		return "the page itself"
	case c.Name == "":
		return "a " + c.Words()
	}
	return c.Role + " " + strconv.Quote(c.Words())
}
