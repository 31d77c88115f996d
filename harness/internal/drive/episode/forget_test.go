package episode

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
)

// Many large answers do not stay in memory. The first and the last one do, and whether one was an error.
func TestForget(t *testing.T) {
	answer := func(isError string) adapter.Result {
		return adapter.NewResult(json.RawMessage(`{"content":[{"type":"text","text":"` + strings.Repeat("x", maxKept/4) + `"}],"isError":` + isError + `}`))
	}
	answers := []adapter.Result{answer("false"), answer("true")}
	r := new(run)
	for i := range 20 {
		r.steps = append(r.steps, adapter.Step{Result: answers[i%2]})
		r.forget()
	}
	kept := 0
	for i, s := range r.steps {
		if kept += len(s.Result.Text()); s.Result.IsError() != (i%2 == 1) || s.Result.Text() == "" && (i == 0 || i == 19) || !s.Result.Valid() {
			t.Errorf("step %d: error %t, %d bytes", i, s.Result.IsError(), len(s.Result.Text()))
		}
	}
	if kept > maxKept {
		t.Errorf("%d bytes are kept", kept)
	}
}
