package adapter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/jsonfile"
)

// mockKind reads a transcript once; its episodes share the lines.
var mockKind = Kind{
	Name:   "mock",
	File:   transcriptFile,
	Absent: `the mock adapter replays it: write one call per line, such as {"tool":"read_page","args":{"tabId":"{{tabId}}"}}`,
	Prepare: func(f *jsonfile.File) (Factory, error) {
		lines := readTranscript(f)
		return func() (Adapter, error) { return &mock{lines: lines}, nil }, nil
	},
}

// mock replays a transcript.
type mock struct {
	lines []line
	next  int // index in lines
}

// Next implements [Adapter]. It checks the last answer against the line that made the
// call, and then returns the next line.
func (m *mock) Next(_ context.Context, s State) (Decision, error) {
	if m.next > 0 {
		if err := m.lines[m.next-1].check(m.next, s.Steps[len(s.Steps)-1].Result); err != nil {
			return Decision{}, err
		}
	}
	if m.next == len(m.lines) {
		return Decision{Done: true}, nil
	}
	l := m.lines[m.next]
	m.next++
	if l.unsupported != "" {
		return Decision{Unsupported: l.unsupported}, nil
	}
	call, err := l.call(func(k mark) (string, error) {
		if k.role != "" {
			return m.ref(l.tool, k, s)
		}
		if s.TabID == "" {
			return "", &event.Drift{
				Step: m.next, Tool: l.tool,
				Expected: "a tab for " + tabMark,
				Actual:   "none was opened" + lastError(s.Steps),
			}
		}
		return s.TabID, nil
	})
	return Decision{Call: call}, err
}

// ref returns the ref of an element in the last answer that names elements.
func (m *mock) ref(tool string, k mark, s State) (string, error) {
	drift := &event.Drift{
		Step: m.next, Tool: tool,
		Expected: fmt.Sprintf(`a %s "%s" in the last snapshot`, k.role, display.Visible(k.name)),
		Actual:   "no snapshot" + lastError(s.Steps),
	}
	if s.Refs == nil {
		return "", drift
	}
	role, name, ref := s.Refs.SubexpIndex("role"), s.Refs.SubexpIndex("name"), s.Refs.SubexpIndex("ref")
	for _, step := range slices.Backward(s.Steps) {
		elements := s.Refs.FindAllStringSubmatch(step.Result.Text(), -1)
		if elements == nil {
			continue
		}
		var names []string
		for _, e := range elements {
			switch {
			case e[role] == k.role && e[name] == k.name:
				return e[ref], nil
			case e[role] == k.role:
				names = append(names, e[name])
			}
		}
		drift.Actual = fmt.Sprintf("%s without it%s", display.Count(len(elements), "element"), display.DidYouMean(k.name, names))
		break
	}
	return "", drift
}

// lastError describes the last error answer, which is usually the reason for a drift.
func lastError(steps []Step) string {
	for _, step := range slices.Backward(steps) {
		if step.Result.IsError() {
			return "; " + step.Call.Tool + " answered: " + display.Cut(step.Result.Text(), maxActual)
		}
	}
	return ""
}

// check compares an answer with what the line expects.
func (l line) check(step int, r event.Result) error {
	text := r.Text()
	var expected []string
	if l.isError != nil && r.IsError() != *l.isError {
		expected = append(expected, fmt.Sprintf("isError %t", *l.isError))
	}
	for _, part := range l.contains {
		if !strings.Contains(text, part) {
			expected = append(expected, "text with "+display.Quote(part))
		}
	}
	if expected == nil {
		return nil
	}
	return &event.Drift{
		Step: step, Tool: l.tool,
		Expected: strings.Join(expected, " and "),
		Actual:   fmt.Sprintf("isError %t and text %q", r.IsError(), display.Cut(text, maxActual)),
	}
}

// maxActual is how many runes of an answer a drift repeats.
const maxActual = 300
