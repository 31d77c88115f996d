// Package option has the options of all targets: one row each in table.go. From a row come the
// help, the check of a value, the plan's entry, the differences of two plans, and the command
// that runs an episode again. It does nothing with a value: the commands do.
package option

import (
	"io"
	"time"
)

// Values are the options of one call of a target. harness.Options has the same fields, and
// explains them.
type Values struct {
	OpenChrome string
	Package    string
	Subjects   string
	Adapter    string
	Profile    string
	Policy     string

	Against    string
	AgentEnv   string
	AgentRead  string
	AgentPorts string

	Task   string
	Suite  string
	Failed string
	Tasks  string
	Sites  string
	Seed   int
	Drift  string
	Web    string

	MaxSteps    int
	MaxDuration time.Duration
	Repetitions int
	Parallel    int
	Retries     int

	Out     string
	RunID   string
	Resume  string
	Shard   string
	Keep    string
	Format  string
	Verbose bool

	Runs    int
	Join    string
	Episode string
	Judge   bool
	Base    string
	Head    string
	Gate    string
	Check   string
	Facts   string

	Stdout io.Writer `json:"-"`
	Stderr io.Writer `json:"-"`
}
