package record_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	. "github.com/openchrome/bench/harness/internal/record"
)

func field(id int, name, value string) Control {
	return Control{Element: Element{ID: id, Role: "textbox", Name: name, Value: value}, Tag: "input", IsField: true, Doc: "1"}
}

// The log has little of a trace, and all of it.
func TestTracesAreWhole(t *testing.T) {
	name, town, button := field(1, "Name", ""), field(2, "Town", "Bern"), Control{Element: Element{ID: 9, Role: "button", Name: "Send"}}
	filled, boxed := field(1, "Name", "Ann"), button
	boxed.Box = []int{1, 2, 3, 4}
	page := Survey{Whole: true, List: []Control{name, town, button}}
	after := Survey{Whole: true, List: []Control{filled, town, field(3, "New", ""), button}}
	traces := []Trace{
		{Step: 0, Missing: "there is no observer"},
		{Step: 1, Tab: "T", After: page},
		{Step: 2, Tab: "T", Node: &town, Before: page, After: after, Moved: true, Events: []Heard{
			{Kind: "pointer", Target: "T", Control: &boxed, Trusted: true, At: []int{2, 3}}, {Kind: "input", Target: "T", Control: &filled, Data: "Ann"},
			{Kind: "tab", Target: "U", Text: "https://a.test/"}, {Kind: "navigate", Target: "T", Fields: []Control{filled, town}},
		}},
		{Step: 3, Tab: "T", Before: after, After: after, Lost: []string{"what"}, Deaf: true},
		{Step: 4, Tab: "U", Before: Survey{List: []Control{button, filled}}},
	}
	var writer, reader Controls
	sizes := []int{}
	for _, trace := range traces {
		line, err := json.Marshal(writer.Pack(trace))
		need.OK(t, err)
		sizes = append(sizes, len(line))
		var read Trace
		need.OK(t, json.Unmarshal(line, &read))
		got, err := reader.Unpack(&read)
		need.OK(t, err)
		want, err := json.Marshal(trace)
		need.OK(t, err)
		have, err := json.Marshal(got)
		need.OK(t, err)
		need.Is(t, fmt.Sprint("step ", trace.Step), string(want), string(have))
	}
	if sizes[3] > 150 {
		t.Errorf("a step in which nothing happened takes %d bytes", sizes[3])
	}
	need.Fails(t, need.Err(new(Controls).Unpack(&Trace{Before: Survey{Runs: []int{7, 1 << 40}}})), "the log does not tell of control")
}

// What has no room is named, and no log grows for ever.
func TestTracesAreBounded(t *testing.T) {
	var c Controls
	size := 0
	for step := range 40 {
		trace := Trace{Step: step, Tab: "T"}
		for i := range 2000 {
			f := field(1+i, strings.Repeat("x", 200), fmt.Sprint(step, i))
			trace.After.List = append(trace.After.List, f)
			trace.Events = append(trace.Events, Heard{Kind: "input", Target: "T", Control: &f})
		}
		trace.After.Whole = true
		packed := c.Pack(trace)
		line, err := json.Marshal(packed)
		need.OK(t, err)
		if size += len(line); len(line) > 64<<10 || packed.After.Whole || !packed.Deaf || len(packed.Lost) == 0 {
			t.Fatalf("step %d: %d bytes, lost %q", step, len(line), packed.Lost)
		}
	}
	if size > 1<<20+40<<10 {
		t.Errorf("%d bytes in all", size)
	}
}

// A page of many new controls makes no control that stays unknown.
func TestManyControls(t *testing.T) {
	var writer, reader Controls
	next := 1
	for step := range 60 {
		var list []Control
		for i := range 300 {
			next++
			list = append(list, Control{Element: Element{ID: next, Role: "link"}})
			if i == 150 {
				list[i] = Control{Element: Element{ID: 1, Role: "button", Name: "Menu"}}
			}
		}
		got, err := reader.Unpack(writer.Pack(Trace{Step: step, After: Survey{List: list}}))
		need.OK(t, err)
		need.Equal(t, fmt.Sprint("step ", step), list, got.After.List)
	}
}
