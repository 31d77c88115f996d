package record_test

import (
	"bytes"
	"fmt"
	"regexp"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// The words of canonical reports; [TestCauses] has those of all other causes.
func TestCauseOf(t *testing.T) {
	for _, test := range []struct {
		status record.Status
		reason string
		want   record.Cause
		about  string
	}{
		{record.Passed, "", "", ""},
		{record.Failed, "want: no dialog is open; got: a dialog is open", record.CauseContract, ""},
		{record.Failed, "unsupported: it has no tabs", record.CauseUnsupported, "it has no tabs"},
		{record.Failed, "no luck", "", ""},
		{record.AdapterError, "want: a key", record.CauseAdapter, ""},
		{record.ToolError, "unsupported: exit status 3", record.CauseOpenChrome, ""},
	} {
		if got, about := record.CauseOf(test.status, test.reason); got != test.want || about != test.about {
			t.Errorf("%s, %q: %q, %q; want %q, %q", test.status, test.reason, got, about, test.want, test.about)
		}
	}
}

func TestEndingOf(t *testing.T) {
	for note, want := range map[string]record.Ending{
		"the run did not end: it was killed, or it is still running": record.EndingNone,
		"the run was interrupted":                                    record.EndingInterrupted,
		"the run was interrupted by rain":                            record.EndingWhole,
	} {
		need.Is(t, fmt.Sprintf("%q", note), want, record.EndingOf([]string{"n", note}))
	}
}

// events/README.md lists every cause.
func TestDocumentedCauses(t *testing.T) {
	page := need.Read(t, "../../../events/README.md")
	code := need.Read(t, "cause.go")
	causes := regexp.MustCompile(`Cause += "(\w+)"`).FindAllSubmatch(code, -1)
	for _, m := range causes {
		if !bytes.Contains(page, fmt.Appendf(nil, "\n| `%s` | ", m[1])) {
			t.Errorf("no row of %s", m[1])
		}
	}
	if len(causes) < 15 {
		t.Errorf("found only %d causes", len(causes))
	}
}
