package stored

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/word"
)

// A report of other rules is folded again, if the log beside it is that of its run and can be read.
func TestLogBesideAReport(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	log := string(need.Read(t, filepath.Join(root, "events", "mock-standin.jsonl")))
	report := string(need.Read(t, filepath.Join(root, "reports", "mock-standin.json")))
	old := strings.Replace(report, fmt.Sprintf(`"rules": %d,`, word.Rules), `"rules": 99,`, 1)
	for name, test := range map[string]struct {
		report, log string
		rules       int
	}{
		"its log":       {old, log, word.Rules},
		"another run's": {strings.Replace(old, `"runId": "mock-standin"`, `"runId": "other"`, 1), log, 99},
		"no log":        {old, "{", 99},
	} {
		dir := t.TempDir()
		need.Write(t, filepath.Join(dir, "reports", "r.json"), test.report)
		need.Write(t, filepath.Join(dir, "events", "r.jsonl"), test.log)
		r, _, err := readFile(t.Context(), filepath.Join(dir, "reports", "r.json"))
		need.OK(t, err)
		need.Is(t, name, test.rules, r.Rules)
	}
}
