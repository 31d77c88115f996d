package report

import (
	"fmt"

	"github.com/openchrome/bench/harness/internal/record"
)

// DescribeSeed says in words which values the tasks had.
func DescribeSeed(r *Report) string { return fmt.Sprintf("seed %d", r.Seed) }

// Plan is the plan of the run, as far as the report knows it: without the tasks, and without
// options that only a log has.
func (r *Report) Plan() *record.RunStart {
	s := &record.RunStart{Adapter: r.Adapter, Web: r.Web, Options: r.Options}
	if r.Server != nil {
		s.Launcher = r.Server.Launcher
	}
	s.Options.Seed, s.Options.Drift = r.Seed, r.Drift
	return s
}
