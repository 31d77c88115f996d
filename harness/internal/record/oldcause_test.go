package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/record"
)

// The words that harnesses before causes wrote.
func TestOldCause(t *testing.T) {
	for _, test := range []struct {
		status record.Status
		reason string
		want   record.Cause
		about  string
	}{
		{record.Passed, "", "", ""},
		{record.Failed, "want: no dialog is open; got: a dialog is open", record.CauseContract, ""},
		{record.Failed, "unsupported: it has no tabs", record.CauseUnsupported, "it has no tabs"},
		{record.Failed, "the adapter gave up: it has no tabs", record.CauseGaveUp, ""},
		{record.Failed, "the answer of step 2 drifted: …", record.CauseDrift, ""},
		{record.Failed, "no page to judge: the tab is closed", record.CauseNoPage, ""},
		{record.Failed, "the session filled the log of console messages: cut", record.CauseConsoleFull, ""},
		{record.Failed, "no luck", "", ""},
		{record.AdapterError, "the transcript no longer fits from step 2: …", record.CauseMisfit, ""},
		{record.AdapterError, "-drift=strict, and the answer of step 2 drifted", record.CauseDrift, ""},
		{record.AdapterError, "want: a key", record.CauseAdapter, ""},
		{record.Inconclusive, "not OpenChrome's fault: disk full", record.CauseOutage, ""},
		{record.Inconclusive, "the session did not start: no browser", record.CauseNoSession, ""},
		{record.Inconclusive, "the judges disagree: …", record.CauseDisagreement, ""},
		{record.Inconclusive, "facts are missing: …", record.CauseMissing, ""},
		{record.Timeout, "not done within 10s", record.CauseTimeCap, ""},
		{record.MaxSteps, "not done at the step cap of 5", record.CauseStepCap, ""},
		{record.ToolError, "unsupported: exit status 3", record.CauseOpenChrome, ""},
		{record.Interrupted, "the run was stopped before the session was ready", record.CauseStopped, ""},
	} {
		if got, about := record.OldCause(test.status, test.reason); got != test.want || about != test.about {
			t.Errorf("%s, %q: %q, %q; want %q, %q", test.status, test.reason, got, about, test.want, test.about)
		}
	}
}

// A stop of an old log gets its cause, and loses the answer in its words. A cause that is there stays.
func TestReadOldStop(t *testing.T) {
	const words = "the transcript no longer fits from step 2"
	for line, want := range map[string]record.Stop{
		`{"status":"adapter_error","reason":"` + words + `: got \"x\"","end":"adapter_error","error":"` + words + `: got \"x\""}`: {Status: record.AdapterError, Cause: record.CauseMisfit, Reason: words, End: record.EndAdapter, Error: words},
		`{"status":"inconclusive","reason":"not OpenChrome's fault: disk full","end":"adapter_error","error":"` + words + `: y"}`: {Status: record.Inconclusive, Cause: record.CauseOutage, Reason: "not OpenChrome's fault: disk full", End: record.EndAdapter, Error: words},
		`{"status":"failed","reason":"want: a; got: b","end":"done"}`:                                                             {Status: record.Failed, Cause: record.CauseContract, Reason: "want: a; got: b", End: record.EndDone},
		`{"status":"failed","cause":"drift","reason":"want: a; got: b","end":"done"}`:                                             {Status: record.Failed, Cause: record.CauseDrift, Reason: "want: a; got: b", End: record.EndDone},
		`{"status":"passed","end":"done"}`: {Status: record.Passed, End: record.EndDone},
	} {
		var e record.Event
		if err := json.Unmarshal(fmt.Appendf(nil, `{"seq":1,"episode":"a#1","type":"stop",%s`, line[1:]), &e); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, e.Body); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

func TestOldEnding(t *testing.T) {
	for note, want := range map[string]record.Ending{
		"the run did not end: it was killed, or it is still running": record.EndingNone,
		"the run was interrupted":                                    record.EndingInterrupted,
		"the run was interrupted by rain":                            record.EndingWhole,
	} {
		if got := record.OldEnding([]string{"n", note}); got != want {
			t.Errorf("%q: %q, want %q", note, got, want)
		}
	}
}

// events/README.md lists every cause.
func TestDocumentedCauses(t *testing.T) {
	page, err := os.ReadFile("../../../events/README.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("cause.go")
	if err != nil {
		t.Fatal(err)
	}
	causes := regexp.MustCompile(`Cause += "(\w+)"`).FindAllSubmatch(code, -1)
	for _, m := range causes {
		if !bytes.Contains(page, fmt.Appendf(nil, "\n| `%s` | ", m[1])) {
			t.Errorf("no row of %s", m[1])
		}
	}
	if len(causes) < 16 {
		t.Errorf("found only %d causes", len(causes))
	}
}
