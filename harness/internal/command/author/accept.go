package author

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// accept plays the task and writes its answers into the transcript, as the answers
// that later runs expect: whether each is an error, and a short text of it. It prints the
// lines that it changes, and leaves a line alone whose answer is as expected. Nothing is
// accepted if the contract does not hold.
func (t *trial) accept() error {
	stop, err := t.play(func(_ session.Session, replay adapter.Adapter) adapter.Adapter { return replay })
	if err != nil {
		return err
	}
	if stop.Status != record.Passed {
		fmt.Fprintln(t.Stdout, "nothing was accepted: the contract must hold; without -drift=accept, task:try shows each step")
		return t.verdict(stop)
	}
	return t.write()
}

func (t *trial) write() error {
	name, _, _ := strings.Cut(t.task.Lines[0].Expect.At, ":")
	file := filepath.Join(t.Tasks, t.task.ID, name)
	data, err := regular.Read(file, jsonfile.MaxSize)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(data), "\n")
	changed := 0
	for i, line := range t.task.Lines {
		answer, ok := t.answers[i+1]
		if !ok {
			continue
		}
		_, number, _ := strings.Cut(line.Expect.At, ":")
		at, err := strconv.Atoi(number)
		if err != nil || at < 1 || at > len(lines) {
			return fmt.Errorf("%s: no line %s", file, line.Expect.At)
		}
		if old := lines[at-1]; line.Expect.IsError == nil && line.Expect.Contains == nil || line.Expect.Drift(answer) != nil {
			lines[at-1] = withExpect(old, t.expect(answer))
			fmt.Fprintf(t.Stdout, "%s:%d\n- %s\n+ %s\n", file, at, display.Visible(strings.TrimSpace(old)), display.Visible(strings.TrimSpace(lines[at-1])))
			changed++
		}
	}
	if changed == 0 {
		fmt.Fprintln(t.Stdout, "nothing to accept: all answers are as expected")
		return nil
	}
	if err := regular.WriteFile(t.Tasks, filepath.Join(t.task.ID, name), []byte(strings.Join(lines, ""))); err != nil {
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

func (t *trial) expect(answer adapter.Result) expectation {
	e := expectation{IsError: answer.IsError()}
	if text := sample(answer.Text(), t.task.Values.All()); text != "" {
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

// lasting matches what an answer says on all servers and versions: an action that worked, up
// to a ref or a place, or the main heading of a page. 60 characters are enough to see that an answer changed.
var lasting = regexp.MustCompile(`(?m)^✓ [^\[(★\n]{1,60}|<h1\b[^\n]{1,60}`)

// sample returns a text that later answers should contain; "" if there is none. It has no
// drawn value, because another seed has another one.
func sample(answer string, drawn []string) string {
	text := strings.TrimSpace(lasting.FindString(answer))
	if slices.ContainsFunc(drawn, func(value string) bool { return len(value) > 1 && strings.Contains(text, value) }) {
		return ""
	}
	return text
}
