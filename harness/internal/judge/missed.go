package judge

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// The longest texts that the words of a failure repeat, in characters.
const (
	longestURL  = 160
	longestText = 60
)

func (a *pageURL) missed(d evidence.Details) string {
	return "url is " + cmp.Or(display.VisibleTo(d.Text("url"), longestURL), "empty") + ", wanted " + example(a.pattern.String())
}

func (a *domText) missed(d evidence.Details) string {
	of, want := short(a.selector), words(a.contains)
	preview, _ := d.Get("text_preview")
	text, ok := preview.(string)
	switch length, _ := d.Get("text_length"); {
	case !ok:
		return fmt.Sprintf("nothing matches %s, wanted the text %s in it", of, want)
	case strings.TrimSpace(text) == "":
		return fmt.Sprintf("%s has no text, wanted %s", of, want)
	case length != float64(jsregexp.Length(text)) || len(text) > longestText:
		return fmt.Sprintf("text of %s has no %s, it begins %s", of, want, words(text))
	}
	return fmt.Sprintf("text of %s is %s, wanted %s", of, words(text), want)
}

func (a *domCount) missed(d evidence.Details) string {
	return fmt.Sprintf("number of %s is %s, wanted %s", short(a.selector), a.got(d), a.target())
}

func (a *network) missed(d evidence.Details) string {
	seen := "seen"
	if _, full := d.Get(evidence.LogFull); full {
		seen = "seen, then the log was full"
	}
	return fmt.Sprintf("no request matched (%s %s), wanted %s", d.JSON("scanned_count"), seen, a.want())
}

func (noDialog) missed(d evidence.Details) string { return noDialog{}.got(d) }

func (a *performance) missed(d evidence.Details) string {
	return fmt.Sprintf("%s is %s, wanted %s %s", a.metric, a.got(d), a.target(), a.unit)
}

func (a *console) missed(d evidence.Details) string {
	return fmt.Sprintf("%s is %s, wanted %s", strings.TrimPrefix(a.what(), "the "), a.got(d), a.target())
}

func (a *screenshotClass) missed(d evidence.Details) string {
	return fmt.Sprintf("the screenshot is %s, wanted at most %s bits from class %s", a.got(d), evidence.JSON(a.distanceMax), a.classID)
}

func (a *imageQA) missed(d evidence.Details) string {
	return fmt.Sprintf("the answer to %s is %s, wanted %s", words(a.question), words(d.Text("answer")), example(a.pattern.String()))
}

func short(s string) string { return display.VisibleTo(s, longestText) }

// words quotes a text, cut. Line ends, tabs and rows of spaces become one space.
func words(s string) string {
	fields := strings.FieldsFunc(s, func(c rune) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' })
	return display.QuoteTo(strings.Join(fields, " "), longestText)
}

// patternWords says what a pattern asks of a text. Of a pattern that holds no more than
// text and anchors it shows the text.
func patternWords(source string) string {
	text, begins, ends, ok := jsregexp.Plain(source)
	text = display.VisibleTo(text, longestURL)
	switch {
	case !ok:
		return "matches /" + clean(source) + "/"
	case begins && ends:
		return "is " + text
	case begins:
		return "begins with " + text
	case ends:
		return "ends with " + text
	}
	return "contains " + text
}

// example is patternWords after "wanted".
func example(source string) string {
	text, begins, ends, ok := jsregexp.Plain(source)
	if !ok {
		return "a match of /" + clean(source) + "/"
	}
	text = display.VisibleTo(text, longestURL)
	if !begins {
		text = "…" + text
	}
	if !ends {
		text += "…"
	}
	return text
}
