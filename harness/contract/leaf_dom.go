package contract

import (
	"strconv"
)

// previewUnits is how much of a text goes into evidence, in UTF-16 units.
const previewUnits = 240

// domText holds when the text of a selector contains a string.
type domText struct {
	selector *string // nil: omitted
	contains string
}

func parseDOMText(p *parser, o Details, path string) leaf {
	contains, ok := p.str(o, "contains", path)
	if !ok {
		return nil
	}
	a := &domText{contains: contains}
	if _, ok := o.Get("selector"); ok {
		selector, ok := p.str(o, "selector", path)
		if !ok {
			return nil
		}
		a.selector = &selector
	}
	return a
}

// name returns the selector that an omitted one stands for.
func (a *domText) name() string {
	if a.selector == nil {
		return "body"
	}
	return *a.selector
}

func (a *domText) need(n *Needs) { n.Text = append(n.Text, a.name()) }

func (a *domText) judge(j *judging) (bool, Details) {
	if d := j.unavailableFor(FactText, a.name()); d != nil {
		return false, d
	}
	text := j.facts.DOMText.get(a.selector)
	d := Details{{"selector", a.name()}, {"contains", a.contains}, {"text_preview", nil}, {"text_length", 0.0}}
	if text == nil {
		return false, d
	}
	j.work += len(*text)
	d[2].Value = utf16Prefix(*text, previewUnits)
	d[3].Value = float64(utf16Len(*text))
	return includes(*text, a.contains), d
}

func (a *domText) expected() Details {
	return Details{{"selector", a.name()}, {"contains", a.contains}}
}

func (a *domText) actual(d Details) any {
	preview, _ := d.Get("text_preview")
	length, _ := d.Get("text_length")
	return Details{{"text_preview", preview}, {"text_length", length}}
}

func (a *domText) want() string {
	return "the text of " + clean(a.name()) + " contains " + quote(a.contains)
}

func (a *domText) got(d Details) string {
	preview, _ := d.Get("text_preview")
	text, ok := preview.(string)
	if !ok {
		return "nothing matches " + clean(a.name())
	}
	length, _ := d.Get("text_length")
	if n, _ := length.(float64); int(n) > utf16Len(text) {
		return quote(text) + " and more, " + strconv.Itoa(int(n)) + " characters in all"
	}
	return quote(text)
}

// domCount holds when the number of elements compares as asked.
type domCount struct {
	selector string
	op       string
	value    float64
}

func parseDOMCount(p *parser, o Details, path string) leaf {
	selector, _ := p.str(o, "selector", path)
	op, ok := p.op(o, path)
	if !ok {
		return nil
	}
	value, ok := number(o, "value")
	switch {
	case !ok || !isInteger(value):
		p.fault(path+".value", "expected non-negative integer")
	case value < 0:
		p.fault(path+".value", "value must be >= 0")
	}
	return &domCount{selector, op, value}
}

func (a *domCount) need(n *Needs) { n.Count = append(n.Count, a.selector) }

func (a *domCount) judge(j *judging) (bool, Details) {
	if d := j.unavailableFor(FactCount, a.selector); d != nil {
		return false, d
	}
	n := j.facts.DOMCount[a.selector]
	return compare(n, a.op, a.value),
		Details{{"selector", a.selector}, {"op", a.op}, {"target", a.value}, {"observed", n}}
}

func (a *domCount) expected() Details {
	return Details{{"selector", a.selector}, {"op", a.op}, {"value", a.value}}
}

// actual carries OpenChrome's bug: it reads the count from a key that the
// evidence does not have.
func (a *domCount) actual(Details) any { return Details{{"count", nil}} }

func (a *domCount) want() string {
	return "the number of " + clean(a.selector) + " is " + opWords[a.op] + jsString(a.value)
}

func (a *domCount) got(d Details) string {
	n, _ := d.Get("observed")
	return jsString(n)
}

var opWords = map[string]string{"eq": "", "gte": "at least ", "lte": "at most "}

// dialogFree holds while no JavaScript dialog is open.
type dialogFree struct{}

func parseNoDialog(*parser, Details, string) leaf { return dialogFree{} }

func (dialogFree) need(n *Needs) { n.Dialog = true }

func (dialogFree) judge(j *judging) (bool, Details) {
	if d := j.unavailable(FactDialog); d != nil {
		return false, d
	}
	return !j.facts.HasOpenDialog, Details{{"dialog_open", j.facts.HasOpenDialog}}
}

func (dialogFree) expected() Details { return Details{{"no_dialog", true}} }

// actual carries OpenChrome's bug: see domCount.actual.
func (dialogFree) actual(Details) any { return Details{{"has_open_dialog", nil}} }

func (dialogFree) want() string { return "no dialog is open" }

func (dialogFree) got(d Details) string {
	if open, _ := d.Get("dialog_open"); open == true {
		return "a dialog is open"
	}
	return "no dialog is open"
}
