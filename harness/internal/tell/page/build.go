package page

import (
	"fmt"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
)

// Commands build documents of what they print, too.

// Say makes a text of parts, texts, strings and numbers.
func Say(parts ...any) Text { return say(parts...) }

// In is a part with a tone.
func In(tone Tone, text string) Part { return in(tone, text) }

// Add adds a line, and returns the list below it, which is valid until the next call.
func (l *List) Add(parts ...any) *List { return l.add(parts...) }

// Add adds a fact that has a value.
func (f *Facts) Add(name string, value ...any) { f.add(name, value...) }

// Add adds a row of texts, parts, strings and numbers.
func (t *Table) Add(cells ...any) { t.add(cells...) }

// Contract says what became of each part of a contract, as [Episode] does.
func Contract(tree judge.Node) (l List) {
	e := report.Episode{Tree: &tree}
	for i, n := range why.Checks(&e) {
		l.check(&e, fmt.Sprint(i+1), n)
	}
	return l
}
