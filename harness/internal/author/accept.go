package author

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/internal/program"
	"github.com/openchrome/bench/harness/internal/run"
	"github.com/openchrome/bench/harness/jsonfile"
	"github.com/openchrome/bench/harness/openchrome"
)

// Accept runs one task of a folder and writes its answers into the transcript, as the answers
// that later runs expect: whether each is an error, and a short text of it that the answers
// before do not have. It prints the lines that it changes, and leaves a line alone whose
// answer is as expected. The transcript of the first path is accepted only if the contract
// holds.
func Accept(ctx context.Context, o run.Options) error {
	if o.Tasks == "" {
		return program.Usage(errors.New("options: name the folder of the task, as in -tasks=my-tasks; in the project's own folder -tasks=fixtures -sites=sites"))
	}
	t, err := begin(ctx, o)
	if err != nil {
		return err
	}
	defer t.end()
	stop, err := t.play(func(_ openchrome.Session, replay adapter.Adapter) adapter.Adapter { return replay })
	if err != nil {
		return err
	}
	if stop.Status != event.Passed && t.Path == adapter.Paths[0] {
		fmt.Fprintln(t.Stdout, "nothing was accepted: the contract must hold; mage task:try shows each step")
		return t.verdict(stop)
	}
	return t.write()
}

// write writes the accepted transcript.
func (t *trial) write() error {
	name, _, _ := strings.Cut(t.lines[0].Expect.At, ":")
	file := filepath.Join(t.Options.Tasks, t.spec.Dir, name)
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(data), "\n")
	changed, seen := 0, ""
	for i, answer := range t.answers {
		line := t.lines[i]
		_, number, _ := strings.Cut(line.Expect.At, ":")
		at, err := strconv.Atoi(number)
		if err != nil || at < 1 || at > len(lines) {
			return fmt.Errorf("%s: no line %s", file, line.Expect.At)
		}
		if old := lines[at-1]; line.Expect.IsError == nil && line.Expect.Contains == nil || line.Expect.Drift(answer) != nil {
			lines[at-1] = withExpect(old, t.expect(answer, seen))
			fmt.Fprintf(t.Stdout, "%s:%d\n- %s\n+ %s\n", file, at, display.Visible(strings.TrimSpace(old)), display.Visible(strings.TrimSpace(lines[at-1])))
			changed++
		}
		seen += answer.Text() + "\n"
	}
	if changed == 0 {
		fmt.Fprintln(t.Stdout, "nothing to accept: all answers are as expected")
		return nil
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(t.Stdout, "accepted %s in %s\n", display.Count(changed, "answer"), file)
	return nil
}

// expectation is the "expect" of a line.
type expectation struct {
	IsError  bool     `json:"isError"`
	Contains []string `json:"contains,omitempty"`
}

// expect returns what to expect of an answer. seen are the answers before it.
func (t *trial) expect(answer event.Result, seen string) expectation {
	e := expectation{IsError: answer.IsError()}
	if text := telling(answer.Text(), seen, t.spec.Values.All()); text != "" {
		e.Contains = []string{text}
	}
	return e
}

// withExpect returns a line of a transcript with another "expect". Its other bytes stay.
func withExpect(line string, e expectation) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(e) // it holds only a bool and texts
	expect := strings.TrimSpace(b.String())
	expect = strings.NewReplacer(`{"isError":`, `{"isError": `, `,"contains":`, `, "contains": `).Replace(expect)
	root := jsonfile.Loose("line", []byte(line)).Value()
	if old := root.Get("expect"); old != nil {
		return line[:old.Offset] + expect + line[old.End:]
	}
	return strings.TrimRight(line[:root.End-1], " ") + `, "expect": ` + expect + line[root.End-1:]
}

// varies matches the parts of an answer that differ between runs, versions or servers.
var varies = regexp.MustCompile(`[0-9A-F]{32}|\[?\bref_\d+\]?|\[\d+(-\d+)?\]|\bat \(-?\d+, -?\d+\)|\b\d+ ?ms\b|"elapsed":\s*\d+|[★×\t]|\b(scroll|docSize|viewport): \S+`)

// general are beginnings of texts that say nothing about the page.
var general = []string{"Found ", "[page_stats]", "[Page State]", "[State Summary]", "{", "}", "elements matching"}

const (
	minTelling = 4  // letters
	maxTelling = 60 // characters
)

// telling returns a short text of an answer that tells it from the answers before; "" if
// there is none. It has no drawn value, and nothing that varies. It prefers the main heading
// of a page. Of the answer to an action only the first line counts: the others describe the
// page after a moment.
func telling(answer, seen string, drawn []string) string {
	lines := strings.Split(answer, "\n")
	if action.MatchString(lines[0]) {
		lines = lines[:1]
	}
	heading := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.Contains(line, "<h1") })
	first := ""
	for _, line := range slices.Concat(heading, lines) {
		for _, part := range varies.Split(line, -1) {
			part = strings.Trim(part, " \r|,\"")
			if !tells(part, drawn) {
				continue
			}
			if part = strings.TrimSpace(cutAtWord(part)); !strings.Contains(seen, part) {
				return part
			}
			first = cmp.Or(first, part)
		}
	}
	return first
}

// action matches the first line of the answer to an action.
var action = regexp.MustCompile(`^(✓|Clicked|Set |Selected|Hovered|Typed|Pressed)`)

var tag = regexp.MustCompile(`<[^>]*>`)

// tells reports whether a text can stand for an answer.
func tells(text string, drawn []string) bool {
	letters := 0
	for _, c := range tag.ReplaceAllString(text, "") {
		if unicode.IsLetter(c) {
			letters++
		}
	}
	if letters < minTelling {
		return false
	}
	for _, prefix := range general {
		if strings.HasPrefix(text, prefix) {
			return false
		}
	}
	for _, value := range drawn {
		if len(value) > 1 && strings.Contains(text, value) {
			return false
		}
	}
	return true
}

// cutAtWord cuts a long text after a word.
func cutAtWord(text string) string {
	r := []rune(text)
	if len(r) <= maxTelling {
		return text
	}
	cut := string(r[:maxTelling])
	if i := strings.LastIndex(cut, " "); i > 0 {
		return cut[:i]
	}
	return cut
}
