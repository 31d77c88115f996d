package observer

import (
	"context"
	"errors"
	"strings"
	"unicode"
)

// wordsScript reads the visible text.
const wordsScript = `(() => {` + primordials + `
return json(cut(visibleText(), 1048576));
})()`

// Words returns the different words in the first MiB of the tab's visible text, in lower
// case. Unlike [Observer.Read] it dismisses no dialog. It returns nil if the page does not
// answer before ctx ends, for example because a dialog is open.
func (o *Observer) Words(ctx context.Context, tabID string) map[string]bool {
	var text string
	if err := o.ask(ctx, tabID, wordsScript, &text); err != nil {
		return nil
	}
	return Words(text)
}

// ask evaluates an expression, unless a dialog is open or the tab is gone: the page would not
// answer then.
func (o *Observer) ask(ctx context.Context, tabID, expression string, v any) error {
	t := o.tab(tabID)
	if t == nil {
		return errors.New("no such tab")
	}
	ctx, end := o.guard(ctx, t, false)
	defer end()
	return o.evaluate(ctx, t, expression, v)
}

// Words returns the different words of a text, in lower case.
func Words(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		words[w] = true
	}
	return words
}

const (
	maxURL  = 2 << 10 // bytes of a URL in an explanation
	maxText = 1 << 10 // bytes of a line that a page wrote
)

// cut returns at most max bytes of s, as valid UTF-8. A shorter result is a copy, because a
// part of a message would keep the whole message, up to 64 MiB, in memory.
func cut(s string, max int) string {
	if len(s) > max {
		s = strings.Clone(s[:max])
	}
	return strings.ToValidUTF8(s, "")
}
