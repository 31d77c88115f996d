package openchrome

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/contract"
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
	for what, want := range map[string]contract.Verdict{
		requested(`example\\.com/$`):              contract.Pass,
		requested(`forms\\.test/$`):               contract.Fail,
		forbidden(requested(`example\\.com/$`)):   contract.Fail,
		forbidden(requested(`forms\\.test/$`)):    contract.Fail,
		forbidden(requested(`never\\.test/$`)):    contract.Fail, // nobody can say that it was not requested
		forbidden(`{"kind":"url","pattern":"x"}`): contract.Pass,
	} {
		c, faults := contract.Parse([]byte(what))
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		f := new(contract.Facts)
		f.URL = new("https://forms.test/")
		readNetwork(t.Context(), s, f)
		if got := contract.Judge(c, contract.Input{Facts: f}); got.Verdict != want {
			t.Errorf("%s: %s %s, want %s", what, got.Verdict, got.InconclusiveReason, want)
		}
	}
}

func requested(pattern string) string {
	return fmt.Sprintf(`{"kind":"network","url_pattern":"%s","status_in":[200],"since":"contract_enter"}`, pattern)
}

func forbidden(what string) string { return `{"kind":"not","child":` + what + `}` }
