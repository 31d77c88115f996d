package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

func mustParse(t testing.TB, text string) *Contract {
	t.Helper()
	c, faults := Parse([]byte(text))
	if faults != nil {
		t.Fatalf("Parse(%s): %v", text, faults)
	}
	return c
}

func TestParseFaults(t *testing.T) {
	const url = `{"kind":"url","pattern":"("}`
	const bad = "invalid regex: /(/: missing closing )"
	tests := []struct {
		name, contract string
		want           []Fault
	}{
		{"empty text", ``, []Fault{{"$", "not JSON: contract:1:1: /: the file is empty, want a JSON object"}}},
		{"text behind", `{"kind":"no_dialog"} x`, []Fault{{"$", `not JSON: contract:1:22: /: syntax: more follows after the end of the value, want one value per file; remove it`}}},
		{"null", `null`, []Fault{{"$", "expected object"}}},
		{"children are all reported, in order", `{"kind":"and","children":[` + url + `,null,{"kind":"not","child":` + url + `}]}`, []Fault{
			{"$.children.0.pattern", bad}, {"$.children.1", "expected object"}, {"$.children.2.child.pattern", bad}}},
		{"not with children, even null", `{"kind":"not","child":{"kind":"no_dialog"},"children":null}`, []Fault{
			{"$.children", "`not` takes a single `child`, not `children`"}}},
		{"not without child", `{"kind":"not","children":[]}`, []Fault{{"$.child", "missing required field"}}},
		{"infinite count", `{"kind":"dom_count","selector":"a","op":"eq","value":1e400}`, []Fault{{"$.value", "expected non-negative integer"}}},
		{"network: unsafe pattern ends it", `{"kind":"network","url_pattern":"(a+)+"}`, []Fault{{"$.url_pattern", "nested-quantifier shape (ReDoS risk)"}}},
		{"network: missing pattern does not", `{"kind":"network","since":"contract_enter","status_in":[200,99,98]}`, []Fault{
			{"$.url_pattern", "expected string"}, {"$.status_in.1", "expected HTTP status integer in [100,599]"}}},
		{"class id: type before distance, charset last", `{"kind":"screenshot_class","class_id":1,"distance_max":65}`, []Fault{
			{"$.class_id", "expected string"}, {"$.distance_max", "expected integer in [0,64]"}}},
		{"the last of two equal keys counts", `{"kind":"nope","kind":"url","pattern":1}`, []Fault{{"$.pattern", "expected string"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, faults := Parse([]byte(tt.contract))
			if c != nil {
				t.Error("got a contract")
			}
			need.Equal(t, "faults", tt.want, faults)
		})
	}
}

func TestParseAccepts(t *testing.T) {
	for name, contract := range map[string]string{
		"unknown fields":        `{"kind":"no_dialog","why":"because","child":7,"children":{}}`,
		"integers in any form":  `{"kind":"dom_count","selector":"","op":"lte","value":1.0e1}`,
		"minus zero":            `{"kind":"dom_count","selector":"","op":"lte","value":-0}`,
		"invalid url substring": `{"kind":"network","url_pattern":"a++(","status_in":[200],"since":"last_tool_call"}`,
		"own words in and":      `{"kind":"and","children":[{"kind":"no_dialog"}],"child":{"kind":"dom_text"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := mustParse(t, contract)
			need.Is(t, "Raw", contract, string(c.Raw()))
		})
	}
}

// In a file every fault is named, at least as many as OpenChrome names; what
// OpenChrome takes has no faults but fields that it ignores.
func TestReadNamesMoreThanParse(t *testing.T) {
	more := 0
	for _, v := range readVectors(t, vectorFiles()[0]) {
		if v.Input.Assertion == nil {
			continue
		}
		c, faults := Parse(v.Input.Assertion)
		f := jsonfile.Loose("f", v.Input.Assertion)
		Read(f, f.Value())
		known := slices.DeleteFunc(slices.Clone(f.Faults), func(f jsonfile.Fault) bool { return strings.HasPrefix(f.Msg, "unknown field") })
		if c != nil && len(known) > 0 || len(f.Faults) < len(faults) {
			t.Errorf("%s: %s\nRead: %v\nParse: %v", v.ID, v.Input.Assertion, f.Faults, faults)
		}
		if len(f.Faults) > len(faults) && len(faults) > 0 {
			more++
		}
	}
	if more == 0 {
		t.Error("no contract had more faults than OpenChrome names")
	}
}

func nested(depth int) string {
	return strings.Repeat(`{"kind":"not","child":`, depth) + `{"kind":"no_dialog"}` + strings.Repeat("}", depth)
}

func TestParseDepth(t *testing.T) {
	c := mustParse(t, nested(maxDepth))
	j := Judge(c, Input{Facts: &evidence.Facts{}})
	need.Is(t, "verdict", Pass, j.Verdict)
	_, faults := Parse([]byte(nested(maxDepth + 1)))
	if len(faults) != 1 || faults[0].Message != "assertions nested more than 1000 deep" {
		t.Errorf("one deeper: %v", faults)
	}
	_, faults = Parse([]byte(strings.Repeat("[", 1e6)))
	if len(faults) != 1 || !strings.HasPrefix(faults[0].Message, "not JSON:") {
		t.Errorf("a million brackets: %v", faults)
	}
}

// TestFields holds the table against the parser: with a field that it does
// not list, nothing changes; without one that it lists, something does.
func TestFields(t *testing.T) {
	full := map[string]string{
		"url":              `"pattern":7`,
		"dom_text":         `"selector":7,"contains":""`,
		"dom_count":        `"selector":7,"op":"eq","value":1`,
		"network":          `"url_pattern":7,"status_in":[200],"since":"contract_enter"`,
		"screenshot_class": `"class_id":"a","distance_max":65`,
		"no_dialog":        ``,
		"image_qa":         `"question":7,"expected_pattern":7`,
		"performance":      `"schema_version":7,"metric":7,"unit":7,"op":7,"value":"","max_age_ms":7e7`,
		"console":          `"schema_version":7,"type":7,"message_pattern":7,"uncaught":7,"op":7,"value":"","max_age_ms":7e7`,
		"and":              `"children":7`,
		"or":               `"children":7`,
		"not":              `"child":7`,
	}
	need.Is(t, "kinds", len(Kinds()), len(full))
	for _, kind := range Kinds() {
		fields, ok := Fields(kind)
		if !ok || fields[0] != "kind" {
			t.Fatalf("Fields(%s) = %v, %v", kind, fields, ok)
		}
		var listed evidence.Details
		if v, ok := mustDecode(t, []byte("{"+full[kind]+"}")).(evidence.Details); ok {
			listed = v
		}
		var names []string
		for _, m := range listed {
			names = append(names, m.Key)
		}
		need.Equal(t, fmt.Sprintf("fields of %s", kind), names, append([]string(nil), fields[1:]...))
	}
	if _, ok := Fields("all"); ok {
		t.Error("all is a kind")
	}
}

func TestNeedsAndLive(t *testing.T) {
	c := mustParse(t, `{"kind":"or","note":[1,{"kind":"dom_text"}],"children":[
		{"kind":"dom_text","contains":"a"},
		{"kind":"not","child":{"kind":"and","children":[
			{"kind":"dom_text","contains":"b","selector":"h1"},
			{"kind":"dom_text","contains":"c"},
			{"kind":"dom_count","selector":"li","op":"eq","value":1},
			{"kind":"url","pattern":"a"}]}},
		{"kind":"no_dialog"}]}`)
	want := Needs{Text: []string{"body", "h1"}, Count: []string{"li"}, Page: true}
	need.Equal(t, "Needs", want, c.Needs())

	got := mustParse(t, `{"kind":"network","url_pattern":"^https://a\\.test/\\.got/a","status_in":[200],"since":"contract_enter"}`)
	need.Equal(t, "Needs of a download", Needs{Network: true, Downloads: true}, got.Needs())

	live := c.Live()
	need.Equal(t, "Needs of Live", want, live.Needs())
	body := "see a"
	all, one := &evidence.Facts{DOMText: &evidence.Text{All: body}}, &evidence.Facts{DOMText: &evidence.Text{Of: map[string]*string{"body": &body}}}
	if diff := cmp.Diff(Judge(c, Input{Facts: all}), Judge(live, Input{Facts: one})); diff != "" {
		t.Errorf("judged live (-a text, +a map):\n%s", diff)
	}
}

func TestMarshalContract(t *testing.T) {
	c := mustParse(t, `{"kind":"no_dialog"}`)
	got, err := json.Marshal(map[string]*Contract{"a": c, "b": nil})
	if err != nil || string(got) != `{"a":{"kind":"no_dialog"},"b":null}` {
		t.Errorf("%s, %v", got, err)
	}
}

// FuzzParse: no text makes Parse panic, and what it accepts is JSON that
// parses again to the same needs.
func FuzzParse(f *testing.F) {
	for _, v := range readVectors(f, vectorFiles()[0]) {
		f.Add([]byte(v.Input.Assertion))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, faults := Parse(data)
		if (c == nil) != (len(faults) > 0) {
			t.Fatalf("contract %v with faults %v", c, faults)
		}
		if c == nil {
			return
		}
		if !json.Valid(c.Raw()) {
			t.Fatalf("accepted what is not JSON: %q", data)
		}
		if diff := cmp.Diff(c.Needs(), c.Live().Needs()); diff != "" {
			t.Fatalf("live contract needs other facts:\n%s", diff)
		}
		_ = fmt.Sprint(Explain(c, Input{}, Judge(c, Input{})))
	})
}
