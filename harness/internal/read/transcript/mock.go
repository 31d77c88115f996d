package transcript

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Mock is the name of the adapter that replays transcripts.
const Mock = "mock"

var mockKind = Kind{Name: Mock, Replays: true, Prepare: func(lines []Line) (adapter.Factory, error) { return Replay(lines), nil }}

// Replay returns the factory of adapters that replay a transcript.
func Replay(lines []Line) adapter.Factory {
	return func() (adapter.Adapter, error) { return &mock{lines: lines, saved: make(map[string]string)}, nil }
}

type mock struct {
	lines []Line
	next  int // index in lines
	saved map[string]string
}

// Next implements [adapter.Adapter]: it returns the next line.
func (m *mock) Next(_ context.Context, s adapter.State) (adapter.Decision, error) {
	if m.next > 0 {
		maps.Copy(m.saved, m.lines[m.next-1].Saved(s.Steps[len(s.Steps)-1].Result.Text()))
	}
	if m.next == len(m.lines) {
		return adapter.Decision{Done: true}, nil
	}
	l := m.lines[m.next]
	m.next++
	if l.Unsupported != "" {
		return adapter.Decision{Unsupported: l.Unsupported}, nil
	}
	call, err := l.call(func(k mark) (string, error) {
		switch {
		case k.file != "":
			return file(k.file, s)
		case k.name != "":
			return m.savedText(k.name, s)
		case s.TabID == "":
			return "", unmet("no tab for " + tabMark + ": none was opened" + lastError(s.Steps))
		}
		return s.TabID, nil
	})
	if err != nil {
		return adapter.Decision{}, fmt.Errorf("%s: %s: %w", l.Expect.At, l.Tool, err)
	}
	if on := server.Named(s.Server); on != nil {
		call.Tool = on.Listed(call.Tool, s.Tools)
	}
	return adapter.Decision{Call: call, Expect: l.Expect}, nil
}

// savedText returns the text that was saved under a name. If there is none, an answer has changed.
func (m *mock) savedText(name string, s adapter.State) (string, error) {
	if text, ok := m.saved[name]; ok {
		return text, nil
	}
	return "", unmet("no {{saved." + name + "}}: no answer matches its pattern" + lastError(s.Steps))
}

func unmet(text string) error { return &adapter.UnmetError{Err: errors.New(text)} }

func file(name string, s adapter.State) (string, error) {
	if path, ok := s.Files[name]; ok {
		return path, nil
	}
	return "", errors.New("the session has no file " + display.Quote(name))
}

// lastError describes the last error answer, which is usually why a tab or a text is missing.
func lastError(steps []adapter.Step) string {
	for _, step := range slices.Backward(steps) {
		if step.Result.IsError() {
			return "; " + step.Call.Tool + " returned the error: " + display.Cut(step.Result.Text(), maxError)
		}
	}
	return ""
}

// maxError is how many characters of an error answer a message repeats.
const maxError = 300
