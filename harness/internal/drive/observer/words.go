package observer

import (
	"context"
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
	o.mu.Lock()
	t := o.find(tabID)
	o.mu.Unlock()
	if t == nil {
		return nil
	}
	ctx, end := o.whileAnswering(ctx, t)
	defer end()
	var text string
	if err := o.evaluate(ctx, t, wordsScript, &text); err != nil {
		return nil
	}
	return Words(text)
}

// whileAnswering ends ctx when a dialog opens or the tab is gone, because the page would
// not answer then.
func (o *Observer) whileAnswering(ctx context.Context, t *tab) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			o.mu.Lock()
			silent, changed := t.gone != "" || t.open != nil, t.changed
			o.mu.Unlock()
			if silent {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}()
	return ctx, cancel
}

// Words returns the different words of a text, in lower case.
func Words(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		words[w] = true
	}
	return words
}
