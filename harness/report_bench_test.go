package harness_test

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// tenThousand is the log of 10,000 episodes on the stand-in: one real run of the built-in
// tasks, whose lines are repeated with other names and tab ids.
func tenThousand(b *testing.B) string {
	b.Helper()
	o := benchmarked(b)
	o.RunID, o.Task = "r", baselineTasks
	need.OK(b, harness.Run(b.Context(), o))
	raw := need.Read(b, filepath.Join(o.Out, "events", "r.jsonl"))
	const copies = 10_000 / 3
	lines := strings.SplitAfter(strings.TrimSpace(string(raw)), "\n")
	start, end := lines[0], lines[len(lines)-1]
	episodes := strings.Join(lines[1:len(lines)-1], "")
	tabs := regexp.MustCompile(`\b[0-9A-F]{32}\b`)
	var log bytes.Buffer
	log.WriteString(strings.NewReplacer(`"episodes":3`, fmt.Sprintf(`"episodes":%d`, 3*copies), `"repetitions":1`, fmt.Sprintf(`"repetitions":%d`, copies)).Replace(start))
	for n := 1; n <= copies; n++ {
		again := strings.NewReplacer(`#1"`, fmt.Sprintf(`#%d"`, n), `"repetition":1`, fmt.Sprintf(`"repetition":%d`, n)).Replace(episodes)
		log.WriteString(tabs.ReplaceAllString(again, fmt.Sprintf("%032X", n)))
	}
	log.WriteString(strings.Replace(end, `"finished":3`, fmt.Sprintf(`"finished":%d`, 3*copies), 1) + "\n")
	name := filepath.Join(b.TempDir(), "r.jsonl")
	need.Write(b, name, log.Bytes())
	return name
}

// BenchmarkReport is what a run of 10,000 episodes does after its last one.
func BenchmarkReport(b *testing.B) {
	log := tenThousand(b)
	r, err := report.FromFile(b.Context(), log)
	if err != nil || r.Episodes.Len() != 9999 {
		b.Fatal(err)
	}
	b.Run("fold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := report.FromFile(b.Context(), log); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, f := range []struct {
		name  string
		write func(io.Writer, *report.Report) error
	}{{"canonical", report.Canonical}, {"json", format.JSON}, {"markdown", format.Markdown}} {
		b.Run(f.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				need.OK(b, f.write(io.Discard, r))
			}
		})
	}
}
