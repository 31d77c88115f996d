package suitecheck

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/command/suitecheck/args"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web"
)

func TestHasWord(t *testing.T) {
	for _, test := range []struct {
		text, word string
		want       bool
	}{
		{"order 12 of 40", "12", true},
		{"order 112 of 40", "12", false},
		{"order 112, then 12", "12", true},
		{"12.50 EUR", "12.50", true},
		{"(Ada)", "Ada", true},
		{"Adam", "Ada", false},
		{"café", "caf", false},
		{"anything", "", false},
		{"a-b", "-b", true},
		{"order KB-12345", "12345", true},
		// Short values are options of lists, and parts of other words.
		{"open the map", "m", false},
		{"I'm here", "m", false},
		{"Ada’s list", "s", false},
		{"https://m.shop.test/s/x?l=m", "m", false},
		{"https://shop.test/s/x", "s", false},
		{"a size_m shirt", "m", false},
		{"an x-l shirt", "l", false},
		{"size m.", "m", true},
		{`"size":"m"`, "m", true},
		{"I'm size m", "m", true},
	} {
		need.Is(t, fmt.Sprintf("hasWord(%q, %q)", test.text, test.word), test.want, hasWord(test.text, test.word))
	}
}

// A mistake always differs, and is as small as can be.
func TestMistakes(t *testing.T) {
	for _, test := range []struct{ text, altered, cased, next string }{
		{"Ada", "Adb", "ada", "Ada"},
		{"12.59", "12.50", "12.59", "12.60"},
		{"ref_9", "ref_0", "Ref_9", "ref_10"},
		{"e99", "e90", "E99", "e100"},
		{"43", "44", "43", "45"},
		{"Zoë!", "Zoê!", "zoë!", "Zoë!"},
		{"", "x", "", ""},
	} {
		got := []string{args.Alter(test.text), args.SwapCase(test.text), args.Next(test.text)}
		if diff := cmp.Diff([]string{test.altered, test.cased, test.next}, got); diff != "" {
			t.Errorf("%q: altered, case, next (-want +got):\n%s", test.text, diff)
		}
	}
}

// What survives when it is left out hides the changes of its parts. The others count.
func TestParts(t *testing.T) {
	line := func(n int) mistake { return mistake{line: n, leftOut: true} }
	field := func(n int, name string) mistake { return mistake{line: n, field: name, leftOut: true} }
	of := func(holds bool, mistakes ...mistake) (out []played) {
		for _, m := range mistakes {
			out = append(out, played{play: play{name: fmt.Sprintf("%+v", m), mistake: m}, holds: holds})
		}
		return out
	}
	survivors := of(true, line(1), mistake{line: 1, field: "query"}, line(12), field(2, "fields Name"),
		mistake{line: 2, field: "fields Name"}, mistake{line: 2, field: "fields Name of it"}, mistake{})
	dead := of(false, mistake{line: 1, field: "query"}, mistake{line: 1}, mistake{line: 2, field: "fields Name"},
		mistake{line: 2}, line(3))
	f := mutantsFail(&proof{}, played{}, slices.Concat(survivors, dead))
	var want []string
	for _, m := range []mistake{line(1), line(12), field(2, "fields Name"), {line: 2, field: "fields Name of it"}, {}} {
		want = append(want, fmt.Sprintf("%+v: the contract holds", m))
	}
	need.Equal(t, "survivors", want, f.problems)
	need.Is(t, "figures", "2 of 7 killed", f.detail)
}

func TestOtherQuery(t *testing.T) {
	var o played
	for _, args := range []string{`{"query":"Report"}`, `{"query":"Build the report again"}`, `{"query":"Readings","value":"Enter"}`} {
		o.steps = append(o.steps, step{Call: adapter.Call{Tool: "interact", Args: json.RawMessage(args)}})
	}
	for query, want := range map[string]string{"Report": "Readings", "Readings": "Report", "Reports Readings": "Home", "Collect": "Report"} {
		need.Is(t, fmt.Sprintf("otherQuery(%q)", query), want, otherQuery(o, query))
	}
}

func TestVagueWord(t *testing.T) {
	for goal, want := range map[string]string{
		"Order soon.":                          "soon",
		`Write "Get well soon" on the card.`:   "",
		`Write "Get well", and come back soon`: "soon",
		"Order sooner or later":                "",
	} {
		if got := vagueWord(goal); got != want {
			t.Errorf("%s: %q, want %q", goal, got, want)
		}
	}
}

// A host that marks wrong acts is one that a task must try to make.
func TestMarksWrong(t *testing.T) {
	dir := t.TempDir()
	for host, routes := range map[string]string{
		"marks.test": `[{"method": "POST", "path": "/pay", "wrong": "paid twice", "status": 204}]`,
		"plain.test": `[{"method": "POST", "path": "/pay", "status": 204}]`,
	} {
		need.Write(t, filepath.Join(dir, host, "routes.json"), routes)
	}
	set, err := web.Open(dir)
	need.OK(t, err)
	for host, want := range map[string]bool{"marks.test": true, "plain.test": false, "none.test": false} {
		for name, spec := range map[string]task.Spec{"drawn": {Sites: []string{host}}, "only opened": {StartURL: "https://" + host + "/"}} {
			p := &proof{suite: &suite{stage: &run.Stage{Sites: set}}, task: transcript.Prepared{Spec: spec}}
			need.Is(t, fmt.Sprintf("%s, %s", host, name), want, p.marksWrong())
		}
	}
}

// Only a contract that cannot hold without a receipt, whatever else it asks for, is the server's to judge.
func TestWantsReceipt(t *testing.T) {
	const receipt, title = `{"kind": "network", "url_pattern": "^https://a\\.test/\\.end/paid$"}`, `{"kind": "dom_text", "contains": "Paid"}`
	of := func(kind string, children ...string) string {
		return fmt.Sprintf(`{"kind": %q, "children": [%s]}`, kind, strings.Join(children, ", "))
	}
	for contract, want := range map[string]bool{
		receipt: true, title: false, `{"kind": "not", "child": ` + receipt + `}`: false,
		`{"kind": "network", "url_pattern": "/paid$"}`: false,
		of("and", title, receipt):                      true, of("or", title, receipt): false, of("or", receipt, of("and", receipt)): true,
	} {
		need.Is(t, contract, want, wantsReceipt(jsonfile.Loose("contract", []byte(contract)).Value()))
	}
	// https://a.test/?x=/.end/paid matches the first, and any page can open it.
	for _, pattern := range []string{`/\\.end/paid$`, `^https://.*/\\.end/paid$`, `^https://a\\.test/\\.end/paid$|/paid$`} {
		contract := `{"kind": "network", "url_pattern": "` + pattern + `"}`
		need.Is(t, pattern, false, wantsReceipt(jsonfile.Loose("contract", []byte(contract)).Value()))
	}
}

// An edit changes one value and keeps all other bytes, also the order of members.
func TestEdits(t *testing.T) {
	const given = `{"tabId": "T", "fields": {"b/c": "1", "a": "2"}, "at": [3, 4]}`
	b := func(string) string { return `"5"` }
	for _, test := range []struct{ name, want, got string }{
		{"a text", `{"tabId": "T", "fields": {"b/c": "\"5\"", "a": "2"}, "at": [3, 4]}`, string(args.Replace(json.RawMessage(given), "/fields/b~1c", b))},
		{"a number", `{"tabId": "T", "fields": {"b/c": "1", "a": "2"}, "at": [3, 7]}`, string(args.Replace(json.RawMessage(given), "/at/1", func(string) string { return "7" }))},
		{"nothing", given, string(args.Replace(json.RawMessage(given), "/x", b))},
		{"without a field", `{"tabId": "T", "fields": {"a":"2"}, "at": [3, 4]}`, string(args.Without(json.RawMessage(given), "/fields/b~1c"))},
		{"with a tab", `{"tabId":"U","url":"x"}`, string(args.With(json.RawMessage(`{"url":"x"}`), "tabId", "U"))},
		{"with a tab, of nothing", `{"tabId":"U"}`, string(args.With(json.RawMessage(`{}`), "tabId", "U"))},
	} {
		need.Is(t, test.name, test.want, test.got)
	}
}
