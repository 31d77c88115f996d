package launch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

// A session that fills the access log is judged on what was logged before: what it did then
// holds, and it cannot hide what it did later.
func TestFullLog(t *testing.T) {
	s := launch(t, newStandin(t, 0))
	open(t, s, "https://example.com/")
	for range 170 {
		open(t, s, "https://example.com/more?"+strings.Repeat("q", 30<<10))
	}
	open(t, s, "https://forms.test/")
	for what, want := range map[string]judge.Verdict{
		requested(`example\\.com/$`):              judge.Pass,
		requested(`forms\\.test/$`):               judge.Fail,
		forbidden(requested(`example\\.com/$`)):   judge.Fail,
		forbidden(requested(`forms\\.test/$`)):    judge.Fail,
		forbidden(requested(`never\\.test/$`)):    judge.Fail, // nobody can say that it was not requested
		forbidden(`{"kind":"url","pattern":"x"}`): judge.Pass,
	} {
		c, faults := judge.Parse([]byte(what))
		need.None(t, faults)
		f := new(evidence.Facts)
		f.URL = new("https://forms.test/")
		facts.ReadNetwork(t.Context(), s, f)
		if got := judge.Judge(c, judge.Input{Facts: f}); got.Verdict != want {
			t.Errorf("%s: %s %s, want %s", what, got.Verdict, got.InconclusiveReason, want)
		}
	}
}

func requested(pattern string) string {
	return fmt.Sprintf(`{"kind":"network","url_pattern":"%s","status_in":[200],"since":"contract_enter"}`, pattern)
}

func forbidden(what string) string { return `{"kind":"not","child":` + what + `}` }
