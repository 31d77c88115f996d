package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// drawn is the log of a run with this seed of a task of this revision.
func drawn(t *testing.T, seed, revision int) *script {
	t.Helper()
	s := changing(t, tabA, "x")
	s.events[0].Body.(*record.RunStart).Options.Seed = seed
	for i := range s.events {
		if b, ok := s.events[i].Body.(*record.Reset); ok {
			b.Task.Revision = revision
		}
	}
	return s
}

// Two seeds are two different runs, and so are two revisions.
func TestCanonicalDraw(t *testing.T) {
	digests := make(map[string]string)
	for name, s := range map[string]*script{"seed 0": drawn(t, 0, 3), "seed 1": drawn(t, 1, 3), "revision 4": drawn(t, 0, 4)} {
		r := s.report(t)
		if other := digests[r.Digest]; other != "" {
			t.Errorf("%s and %s have one digest", name, other)
		}
		digests[r.Digest] = name
		var b bytes.Buffer
		need.OK(t, report.Canonical(&b, r))
		for _, field := range []string{`"seed": `, `"revision":`} {
			if !strings.Contains(b.String(), field) {
				t.Errorf("%s: the canonical report has no %s", name, field)
			}
		}
	}
}
