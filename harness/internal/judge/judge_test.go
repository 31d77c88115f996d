package judge

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

const (
	yes     = `{"kind":"url","pattern":"^https:"}`
	no      = `{"kind":"url","pattern":"^ftp:"}`
	unclear = `{"kind":"dom_count","selector":"li[","op":"eq","value":0}`
)

func simpleFacts() *evidence.Facts {
	url, text := "https://example.com/", "Hello"
	return &evidence.Facts{
		URL:         &url,
		DOMText:     &evidence.Text{Of: map[string]*string{"h1": &text, "h2": nil}},
		Unavailable: map[string]string{evidence.CountFact("li["): "'li[' is not a valid selector", evidence.FactConsole: "the server has no tool console_capture"},
	}
}

func TestLogic(t *testing.T) {
	const reason = "'li[' is not a valid selector"
	tests := []struct {
		name, contract string
		verdict        Verdict
		evaluated      float64 // children, of the root
		failed         []string
	}{
		{"and passes", and(yes, yes), Pass, 2, nil},
		{"and stops at a failure", and(yes, no, unclear), Fail, 2, []string{"$.children.1[url]"}},
		{"and stops at what is unclear", and(yes, unclear, no), Inconclusive, 2, nil},
		{"or stops at a pass", or(no, unclear, yes, no), Pass, 3, nil},
		{"or fails", or(no, no), Fail, 2, []string{"$.children.0[url]", "$.children.1[url]"}},
		{"or with something unclear", or(unclear, no), Inconclusive, 2, nil},
		{"not of a failure", not(no), Pass, 0, nil},
		{"not of a pass", not(yes), Fail, 0, []string{"$.child[url]"}},
		{"not of what is unclear", not(unclear), Inconclusive, 0, nil},
		{"unclear goes up through all", and(yes, or(no, not(unclear))), Inconclusive, 2, nil},
		{"not of and names the and", or(no, not(and(yes, yes))), Fail, 2, []string{"$.children.0[url]", "$.children.1.child[and]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := Judge(mustParse(t, tt.contract), Input{Facts: simpleFacts()})
			if j.Verdict != tt.verdict {
				t.Fatalf("verdict %s, want %s", j.Verdict, tt.verdict)
			}
			if n, _ := j.Evidence.Details.Get("evaluated"); tt.evaluated > 0 && n != tt.evaluated {
				t.Errorf("evaluated %v children, want %v", n, tt.evaluated)
			}
			var failed []string
			for _, f := range j.FailedAssertions {
				failed = append(failed, f.Name)
			}
			need.Equal(t, "failed assertions", tt.failed, failed)
			want := ""
			if tt.verdict == Inconclusive {
				want = reason
			}
			need.Is(t, "reason", want, j.InconclusiveReason)
		})
	}
}

func and(children ...string) string {
	return `{"kind":"and","children":[` + strings.Join(children, ",") + `]}`
}

func or(children ...string) string {
	return `{"kind":"or","children":[` + strings.Join(children, ",") + `]}`
}

func not(child string) string { return `{"kind":"not","child":` + child + `}` }

func TestUnavailable(t *testing.T) {
	kinds := map[string]string{
		evidence.FactURL:           yes,
		evidence.TextFact("h1"):    `{"kind":"dom_text","selector":"h1","contains":"Hello"}`,
		evidence.TextFact("body"):  `{"kind":"dom_text","contains":"Hello"}`,
		evidence.FactText:          `{"kind":"dom_text","selector":"h1","contains":"Hello"}`,
		evidence.CountFact("li"):   `{"kind":"dom_count","selector":"li","op":"eq","value":0}`,
		evidence.FactCount:         `{"kind":"dom_count","selector":"li","op":"eq","value":0}`,
		evidence.FactNetwork:       `{"kind":"network","url_pattern":"a","status_in":[200],"since":"contract_enter"}`,
		evidence.FactDialog:        `{"kind":"no_dialog"}`,
		evidence.FactScreenshot:    `{"kind":"screenshot_class","class_id":"a","distance_max":1}`,
		evidence.FactImageQA:       `{"kind":"image_qa","question":"","expected_pattern":""}`,
		evidence.FactPerformance:   `{"kind":"performance","schema_version":1,"metric":"a","unit":"ms","op":"eq","value":1,"max_age_ms":1}`,
		evidence.FactConsole:       `{"kind":"console","schema_version":1,"op":"eq","value":1,"max_age_ms":1}`,
		evidence.TextFact("other"): "",
	}
	for fact, contract := range kinds {
		if contract == "" {
			continue
		}
		t.Run(fact, func(t *testing.T) {
			c := mustParse(t, contract)
			in := Input{Facts: &evidence.Facts{Unavailable: map[string]string{fact: "the tab is gone"}}}
			j := Judge(c, in)
			if j.Verdict != Inconclusive || j.InconclusiveReason != "the tab is gone" {
				t.Errorf("%s, %q", j.Verdict, j.InconclusiveReason)
			}
			in.Facts.Unavailable = map[string]string{evidence.TextFact("other"): "the tab is gone"}
			if j := Judge(c, in); j.InconclusiveReason == "the tab is gone" {
				t.Error("another fact made it inconclusive")
			}
		})
	}
	j := Judge(mustParse(t, yes), Input{Facts: &evidence.Facts{Unavailable: map[string]string{evidence.FactURL: ""}}})
	need.Is(t, "without a reason", `the fact "url" could not be read`, j.InconclusiveReason)
}

// A full log hides neither that a request is missing nor a forbidden one: what was logged
// before counts, and the doubt about the rest is the session's.
func TestFullLog(t *testing.T) {
	seen := `{"kind":"network","url_pattern":"/seen","status_in":[200],"since":"contract_enter"}`
	other := `{"kind":"network","url_pattern":"/other","status_in":[200],"since":"contract_enter"}`
	facts := &evidence.Facts{Network: []evidence.Request{{URL: "https://a.test/seen", Status: 200}}, NetworkFull: true, URL: new("https://a.test/")}
	for name, tt := range map[string]struct {
		contract string
		want     Verdict
		words    string
	}{
		"a wanted request was logged":          {seen, Pass, ""},
		"a wanted request was not logged":      {other, Fail, "no request matched (1 seen, then the log was full), wanted a request whose URL contains /other is answered with 200"},
		"a forbidden request was logged":       {not(seen), Fail, "this holds and should not: a request whose URL contains /seen is answered with 200"},
		"a forbidden request may be missing":   {not(other), Fail, "the session filled the log of requests, which may hide this: a request whose URL contains /other is answered with 200"},
		"a double not is none":                 {not(not(other)), Fail, "this holds and should not: does not hold: a request whose URL contains /other is answered with 200"},
		"forbidden together with what is true": {not(and(yes, other)), Fail, "the session filled the log of requests, which may hide this: all 2 assertions hold"},
		"forbidden together with what is not":  {not(and(no, other)), Pass, ""},
		"not the other children of an and":     {and(not(no), seen, not(other)), Fail, "the session filled the log of requests, which may hide this: a request whose URL contains /other is answered with 200"},
		"one of two":                           {or(not(other), seen), Pass, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, in := mustParse(t, tt.contract), Input{Facts: facts}
			j := Judge(c, in)
			if x := Explain(c, in, j); j.Verdict != tt.want || x.Words != tt.words {
				t.Errorf("%s (%s), want %s (%s)", j.Verdict, x.Words, tt.want, tt.words)
			}
		})
	}
}

// TestSlowPatterns: patterns that take for ever end in a verdict, soon.
func TestSlowPatterns(t *testing.T) {
	url := strings.Repeat("a", 50) + "b"
	slow := `{"kind":"url","pattern":"((a)+)+$"}`
	many := make([]string, 1000)
	for i := range many {
		many[i] = slow
	}
	in := Input{Facts: &evidence.Facts{URL: &url}}
	for range 1000 {
		in.Facts.Network = append(in.Facts.Network, evidence.Request{URL: url, Status: 200})
	}
	for name, contract := range map[string]string{
		"many":    or(many...),
		"network": `{"kind":"network","url_pattern":"(a|aa)+$","status_in":[200],"since":"contract_enter"}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := mustParse(t, contract)
			j := Judge(c, in)
			if j.Verdict != Inconclusive || !strings.Contains(j.InconclusiveReason, "took more than 2s") {
				t.Errorf("%s, %q", j.Verdict, j.InconclusiveReason)
			}
		})
	}
}

// TestBusyMachine: a pattern that takes a while is decided, however many other
// judgements want the processor.
func TestBusyMachine(t *testing.T) {
	url := strings.Repeat("abcdefgh ", 160)
	c := mustParse(t, `{"kind":"url","pattern":"(?:\\S{1,}\\s)*x"}`)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if j := Judge(c, Input{Facts: &evidence.Facts{URL: &url}}); j.Verdict != Fail {
				t.Errorf("%s, %q", j.Verdict, j.InconclusiveReason)
			}
		})
	}
	wg.Wait()
}

func TestTooMuchToJudge(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	leaf := `{"kind":"dom_text","contains":"xxxxxxxxy"}`
	many := make([]string, 20_000)
	for i := range many {
		many[i] = leaf
	}
	c := mustParse(t, or(many...))
	j := Judge(c, Input{Facts: &evidence.Facts{DOMText: &evidence.Text{All: text}}}) // it counts steps, so no clock is needed here
	if j.Verdict != Inconclusive || j.InconclusiveReason != errTooMuch.Error() {
		t.Errorf("%s, %q", j.Verdict, j.InconclusiveReason)
	}
}

func TestJudgementRoundTrip(t *testing.T) {
	for _, v := range readVectors(t, vectorFiles()[0]) {
		c, faults := Parse(v.Input.Assertion)
		in, err := v.input(v.makeClasses(t))
		if faults != nil || err != nil {
			continue
		}
		want := Judge(c, in)
		data, err := json.Marshal(want)
		need.OK(t, err)
		var got Judgement
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%s: %v", v.ID, err)
		}
		again, err := json.Marshal(got)
		if err != nil || string(again) != string(data) {
			t.Fatalf("%s: %s came back as %s, %v", v.ID, data, again, err)
		}
		before, _ := json.Marshal(Explain(c, in, want))
		after, _ := json.Marshal(Explain(c, in, got))
		if string(before) != string(after) {
			t.Errorf("%s: explained from the log otherwise:\n%s\n%s", v.ID, before, after)
		}
	}
}

// FuzzJudge: no facts make Judge panic or take long, and facts that were
// logged give the same judgement.
func FuzzJudge(f *testing.F) {
	for _, v := range readVectors(f, vectorFiles()[0]) {
		f.Add([]byte(v.Input.Assertion), []byte(v.Input.Snapshot))
	}
	f.Fuzz(func(t *testing.T, contract, snapshot []byte) {
		c, faults := Parse(contract)
		if faults != nil {
			return
		}
		var facts evidence.Facts
		if facts.UnmarshalJSON(snapshot) != nil {
			return
		}
		in := Input{Facts: &facts, SessionID: "session-a", Provenance: Provenance{TargetID: "tab-1"}, Now: time.UnixMilli(1700000010000)}
		start := time.Now()
		j := Judge(c, in)
		if took := time.Since(start); took > 15*time.Second {
			t.Fatalf("took %v", took)
		}
		first, _ := json.Marshal(j)
		logged, err := json.Marshal(in.Facts)
		need.OK(t, err)
		in.Facts = &evidence.Facts{}
		if err := json.Unmarshal(logged, in.Facts); err != nil {
			t.Fatalf("%v in %s", err, logged)
		}
		second, _ := json.Marshal(Judge(c, in))
		if string(first) != string(second) && !strings.Contains(string(first)+string(second), "150 ms") {
			t.Fatalf("judged again from the log:\n%s\n%s", first, second)
		}
		Explain(c, in, j)
		if failing := FirstFailing(c, in, j); (failing == nil) != (j.Verdict == Pass) {
			t.Fatalf("%s, and the failing assertion is %v", j.Verdict, failing)
		}
	})
}

// Package record tells a filled console from other missing facts by this code.
func TestTruncatedConsoleHasItsCode(t *testing.T) {
	c := mustParse(t, `{"kind":"console","schema_version":1,"op":"eq","value":0,"max_age_ms":1000}`)
	in := Input{SessionID: "s", Provenance: Provenance{TargetID: "t"}, Now: time.UnixMilli(0), Facts: &evidence.Facts{ContractFacts: []byte(
		`[{"schema_version":1,"kind":"console","source_tool":"console_capture","session_id":"s","target_id":"t",` +
			`"captured_at":"1970-01-01T00:00:00Z","entries":[],"captured_types":null,"message_encoding":"plain","truncated":true}]`)}}
	if j := Judge(c, in); j.Verdict != Inconclusive || j.ErrorCode != Truncated {
		t.Errorf("verdict %s with error code %q, want %q", j.Verdict, j.ErrorCode, Truncated)
	}
}
