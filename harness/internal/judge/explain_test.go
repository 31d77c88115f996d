package judge

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestExplain(t *testing.T) {
	c := mustParse(t, and(yes, or(
		`{"kind":"dom_text","selector":"h1","contains":"hello"}`,
		`{"kind":"dom_text","selector":"h2","contains":"x"}`,
		not(`{"kind":"no_dialog"}`),
	), unclear))
	in := Input{Facts: simpleFacts()}
	j := Judge(c, in)
	want := Node{Kind: "and", Path: "$", Verdict: Fail, Expected: "all 3 assertions hold", Observed: "assertion 2 does not hold",
		Words: `text of h1 is "Hello", wanted "hello"; nothing matches h2, wanted the text "x" in it; this holds and should not: no dialog is open`, Children: []Node{
			{Kind: "url", Path: "$.children.0", Verdict: Pass, Expected: "the URL begins with https:", Observed: `"https://example.com/"`},
			{Kind: "or", Path: "$.children.1", Verdict: Fail, Expected: "at least one of 3 assertions holds", Observed: "no assertion holds",
				Words: `text of h1 is "Hello", wanted "hello"; nothing matches h2, wanted the text "x" in it; this holds and should not: no dialog is open`, Children: []Node{
					{Kind: "dom_text", Path: "$.children.1.children.0", Verdict: Fail, Expected: `the text of h1 contains "hello"`, Observed: `"Hello"`,
						Words: `text of h1 is "Hello", wanted "hello"`},
					{Kind: "dom_text", Path: "$.children.1.children.1", Verdict: Fail, Expected: `the text of h2 contains "x"`, Observed: "nothing matches h2",
						Words: `nothing matches h2, wanted the text "x" in it`},
					{Kind: "not", Path: "$.children.1.children.2", Verdict: Fail, Expected: "does not hold: no dialog is open", Observed: "no dialog is open",
						Words: "this holds and should not: no dialog is open", Children: []Node{
							{Kind: "no_dialog", Path: "$.children.1.children.2.child", Verdict: Pass, Expected: "no dialog is open", Observed: "no dialog is open"},
						}},
				}},
			{Kind: "dom_count", Path: "$.children.2", Verdict: NotReached, Expected: "the number of li[ is 0",
				Observed: "'li[' is not a valid selector", Words: "cannot be judged: 'li[' is not a valid selector", Would: Inconclusive},
		}}
	need.Equal(t, "Explain", want, Explain(c, in, j))
}

// An open dialog is named where it is known, and its text is escaped once.
func TestExplainDialog(t *testing.T) {
	c := mustParse(t, `{"kind":"no_dialog"}`)
	for dialog, want := range map[string]string{
		"": "a dialog is open", `confirm "Delete it?"`: `a dialog is open: confirm "Delete it?"`,
		`alert "\x1b[31m"`: `a dialog is open: alert "\x1b[31m"`, "alert \x1b": `a dialog is open: alert \x1b`,
	} {
		in := Input{Facts: &evidence.Facts{HasOpenDialog: true, OpenDialog: dialog}}
		if n := Explain(c, in, Judge(c, in)); n.Verdict != Fail || n.Observed != want {
			t.Errorf("%s: %s, want %s", n.Verdict, n.Observed, want)
		}
	}
}

func TestFirstFailing(t *testing.T) {
	hello := "Hello"
	tests := []struct {
		name, contract string
		want           *FailedContract
	}{
		{"passed", yes, nil},
		{"leaf under and", and(yes, no), &FailedContract{Kind: "url", Path: "$.children.1", Verdict: Fail,
			Expected: "the URL begins with ftp:", Observed: `"https://example.com/"`}},
		{"text", `{"kind":"dom_text","selector":"h1","contains":"HELLO"}`, &FailedContract{Kind: "dom_text", Path: "$", Verdict: Fail,
			Expected: `the text of h1 contains "HELLO"`, Observed: `"Hello"`, TextPreview: &hello}},
		{"not", and(not(yes)), &FailedContract{Kind: "not", Path: "$.children.0", Verdict: Fail,
			Expected: "does not hold: the URL begins with https:", Observed: `"https://example.com/"`}},
		{"inconclusive, not the failure before it", or(no, and(yes, not(unclear))), &FailedContract{Kind: "dom_count", Path: "$.children.1.children.1.child",
			Verdict: Inconclusive, Expected: "the number of li[ is 0", Observed: "'li[' is not a valid selector"}},
		{"console, by its reason", `{"kind":"console","schema_version":1,"type":"error","op":"eq","value":0,"max_age_ms":1}`, &FailedContract{Kind: "console", Path: "$",
			Verdict: Inconclusive, Expected: "the number of console messages of type error is 0", Observed: "the server has no tool console_capture"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustParse(t, tt.contract)
			in := Input{Facts: simpleFacts()}
			need.Equal(t, "FirstFailing", tt.want, FirstFailing(c, in, Judge(c, in)))
		})
	}
	t.Run("no snapshot", func(t *testing.T) {
		c := mustParse(t, and(yes))
		f := FirstFailing(c, Input{}, Judge(c, Input{}))
		if f.Kind != "and" || f.Verdict != Inconclusive || !strings.HasPrefix(f.Observed, "no evidence.snapshot") {
			t.Errorf("got %+v", f)
		}
	})
}

// Each outermost not is judged, also behind one that decided.
func TestForbidden(t *testing.T) {
	in := Input{Facts: simpleFacts()}
	https := "the URL begins with https:"
	for _, tt := range []struct {
		name, contract string
		want           []string
	}{
		{"none", and(yes, no), nil},
		{"kept", and(yes, not(no)), nil},
		{"broken", and(yes, not(yes)), []string{https}},
		{"behind a failure", and(no, not(yes), or(yes, not(yes))), []string{https, https}},
		{"twice not", not(not(yes)), nil},
		{"unclear", not(unclear), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			need.Equal(t, "Forbidden", tt.want, Forbidden(mustParse(t, tt.contract), in))
			if got := Forbidden(mustParse(t, tt.contract), Input{}); got != nil {
				t.Errorf("without facts: %q", got)
			}
		})
	}
}

// TestExplanationsAreSafe: nothing a page says reaches the terminal raw, and
// nothing is endless.
func TestExplanationsAreSafe(t *testing.T) {
	evil := "\x1b]0;x\x07\u202e\u200b\n" + strings.Repeat("z", 100_000)
	c := mustParse(t, string(evidence.AppendJSON(nil, evidence.Details{{Key: "kind", Value: "and"}, {Key: "children", Value: []any{
		evidence.Details{{Key: "kind", Value: "dom_text"}, {Key: "selector", Value: evil}, {Key: "contains", Value: evil + "!"}},
	}}})))
	in := Input{Facts: &evidence.Facts{DOMText: &evidence.Text{All: evil}}}
	f := FirstFailing(c, in, Judge(c, in))
	for _, s := range []string{f.Expected, f.Observed} {
		if strings.ContainsAny(s, "\x1b\x07\n\u202e\u200b") || len(s) > 2000 {
			t.Errorf("unsafe or endless: %.100q", s)
		}
	}
}

// Words are for people: short, and without the language of patterns where there is another way.
func TestWords(t *testing.T) {
	in := Input{Facts: &evidence.Facts{
		URL: new("https://forms.test/contact"), HasOpenDialog: true, OpenDialog: `confirm "Delete it?"`,
		DOMText:  &evidence.Text{Of: map[string]*string{"h1": new("Contact us"), "p": new(strings.Repeat("word ", 100)), "b": new(" "), "i": new("\x1b[31m \n\ta  b\u00a0c")}},
		DOMCount: map[string]float64{"li": 2},
		Network:  []evidence.Request{{URL: "https://forms.test/contact", Status: 200}},
	}}
	tests := []struct{ name, contract, words string }{
		{"passed", `{"kind":"url","pattern":"/contact$"}`, ""},
		{"whole URL", `{"kind":"url","pattern":"^https://forms\\.test/contact/sent$"}`, "url is https://forms.test/contact, wanted https://forms.test/contact/sent"},
		{"end of a URL", `{"kind":"url","pattern":"/sent$"}`, "url is https://forms.test/contact, wanted …/sent"},
		{"beginning of a URL", `{"kind":"url","pattern":"^http:"}`, "url is https://forms.test/contact, wanted http:…"},
		{"any part of a URL", `{"kind":"url","pattern":"a\\?b"}`, "url is https://forms.test/contact, wanted …a?b…"},
		{"pattern", `{"kind":"url","pattern":"^https://(a|b)\\.test$"}`, "url is https://forms.test/contact, wanted a match of /^https://(a|b)\\.test$/"},
		{"class escape", `{"kind":"url","pattern":"^\\d$"}`, "url is https://forms.test/contact, wanted a match of /^\\d$/"},
		{"text", `{"kind":"dom_text","selector":"h1","contains":"Message sent"}`, `text of h1 is "Contact us", wanted "Message sent"`},
		{"long text", `{"kind":"dom_text","selector":"p","contains":"Message sent"}`, `text of p has no "Message sent", it begins "` + strings.Repeat("word ", 12) + `"…`},
		{"escapes", `{"kind":"dom_text","selector":"i","contains":"x"}`, `text of i is "\x1b[31m a b\u00a0c", wanted "x"`},
		{"no text", `{"kind":"dom_text","selector":"b","contains":"Message sent"}`, `b has no text, wanted "Message sent"`},
		{"no element", `{"kind":"dom_text","selector":"h2","contains":"x"}`, `nothing matches h2, wanted the text "x" in it`},
		{"count", `{"kind":"dom_count","selector":"li","op":"gte","value":3}`, "number of li is 2, wanted at least 3"},
		{"network", `{"kind":"network","url_pattern":"/send","status_in":[200,201],"since":"contract_enter"}`,
			"no request matched (1 seen), wanted a request whose URL contains /send is answered with 200 or 201"},
		{"dialog", `{"kind":"no_dialog"}`, `a dialog is open: confirm "Delete it?"`},
		{"console", `{"kind":"console","schema_version":1,"type":"error","op":"eq","value":0,"max_age_ms":1}`, "cannot be judged: evidence.snapshot.contract_facts is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustParse(t, tt.contract)
			need.Is(t, "words", tt.words, Explain(c, in, Judge(c, in)).Words)
		})
	}
}

// An assertion that was not reached has the verdict that the facts would give it, unless it
// is measured: then two runs that did the same would differ.
func TestExplainNotReached(t *testing.T) {
	c := mustParse(t, and(no, yes, no, or(no, yes), `{"kind":"performance","schema_version":1,"metric":"m","unit":"ms","op":"lte","value":1,"max_age_ms":1}`))
	in := Input{Facts: simpleFacts()}
	got := Explain(c, in, Judge(c, in))
	var would []Verdict
	for _, child := range got.Children[1:] {
		if child.Verdict != NotReached {
			t.Errorf("%s is %s, want not reached", child.Path, child.Verdict)
		}
		would = append(would, child.Would)
	}
	need.Equal(t, "would", []Verdict{Pass, Fail, Pass, ""}, would)
	if grandchild := got.Children[3].Children[0]; grandchild.Verdict != NotReached || grandchild.Would != Fail {
		t.Errorf("below: %+v", grandchild)
	}
	need.Is(t, "an assertion that was judged has Would", "", got.Children[0].Would)
}
