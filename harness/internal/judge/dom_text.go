package judge

import (
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
)

// dom_text holds when the text of a selector contains a string.
var domTextKind = kind{
	name: "dom_text", fields: []string{"kind", "selector", "contains"}, fact: evidence.FactText,
	read: func(a *assertion) leaf {
		t := &domText{contains: a.text("contains")}
		a.stop()
		a.of = "body"
		if a.o.Get("selector") != nil {
			a.of = a.text("selector")
			t.named = true
		}
		t.selector = a.of
		return t
	},
	actual: func(d evidence.Details) any {
		preview, _ := d.Get("text_preview")
		length, _ := d.Get("text_length")
		return evidence.Details{{Key: "text_preview", Value: preview}, {Key: "text_length", Value: length}}
	},
}

type domText struct {
	selector string // "body" if it is omitted
	named    bool   // whether the contract has it
	contains string
}

// previewUnits is how much of a text goes into evidence, in UTF-16 units.
const previewUnits = 240

func (a *domText) judge(j *judging) (bool, evidence.Details) {
	text := j.facts.DOMText.For(a.selector, a.named)
	d := evidence.Details{{Key: "selector", Value: a.selector}, {Key: "contains", Value: a.contains}, {Key: "text_preview", Value: nil}, {Key: "text_length", Value: 0.0}}
	if text == nil {
		return false, d
	}
	j.work += len(*text)
	d[2].Value = jsregexp.Prefix(*text, previewUnits)
	d[3].Value = float64(jsregexp.Length(*text))
	return strings.Contains(*text, a.contains), d
}

func (a *domText) want() string {
	return "the text of " + clean(a.selector) + " contains " + quote(a.contains)
}

func (a *domText) got(d evidence.Details) string {
	preview, _ := d.Get("text_preview")
	text, ok := preview.(string)
	if !ok {
		return "nothing matches " + clean(a.selector)
	}
	length, _ := d.Get("text_length")
	if n, _ := length.(float64); int(n) > jsregexp.Length(text) {
		return quote(text) + " and more, " + strconv.Itoa(int(n)) + " characters in all"
	}
	return quote(text)
}
