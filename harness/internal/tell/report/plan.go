package report

import (
	"fmt"

	"github.com/openchrome/bench/harness/internal/record"
)

// DescribeDraw says in words which values the tasks had.
func DescribeDraw(r *Report) string { return fmt.Sprintf("draw %d", r.Seed) }

// Plan is the plan of the run, as far as the report knows it: without the tasks, and without
// options that only a log has.
func (r *Report) Plan() *record.RunStart {
	s := &record.RunStart{Adapter: r.Adapter, Web: r.Web, Options: r.Options}
	if r.Subject != nil {
		s.Launcher = r.Subject.Launcher
	}
	s.Options.Seed, s.Options.Drift = r.Seed, r.Drift
	return s
}
