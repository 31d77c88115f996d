package report

import "github.com/openchrome/bench/harness/internal/record"

// Plan is the plan of the run, as far as the report knows it: without the tasks, and without
// options that only a log has.
func (r *Report) Plan() *record.RunStart {
	s := &record.RunStart{Adapter: r.Adapter, Web: r.Web, Options: r.Options}
	if r.Subject != nil {
		s.Launcher = r.Subject.Launcher
	}
	s.Options.Seed, s.Options.SeedKey, s.Options.Drift = r.Seed, r.SeedKey, r.Drift
	return s
}
