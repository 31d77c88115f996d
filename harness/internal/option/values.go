// Package option has the options of all targets: one row each in table.go. From a row come the
// help, the check of a value, the plan's entry, the differences of two plans, and the command
// that runs an episode again. It does nothing with a value: the commands do.
package option

import (
	"io"
	"time"
)

// Values are what a user can choose. Each field is an option of the command line, whose help
// (mage TARGET -h -all) says more. The zero value of a field is its default, and the only value
// for a target that does not take the option.
type Values struct {
	// Server is the server to drive: auto, container, local, standin, the name of a file in
	// servers, a command line or an address. Empty: the value of OPENCHROME_BENCH_SERVER,
	// else auto.
	Server  string
	Package string // folder, .tgz or npm version of the server; empty: the one that the machine has
	Servers string // of bench:parity, separated by commas; empty: standin,local,container
	Adapter string // name of the adapter that decides the calls, policy: and names, or agent: and a command line; empty: mock
	Profile string // file with another description of the server, for the policies; empty: the built-in one
	Policy  string // of task:try: policy that carries out the intents; empty: the transcript is replayed

	Against    string // of bench:parity: a second agent, like Adapter, on one server
	AgentEnv   string // names of variables that an agent gets, separated by commas
	AgentRead  string // files and folders that an agent can read, separated by commas
	AgentPorts string // TCP ports that an agent can connect to, separated by commas

	Task   string // ids of tasks, separated by commas; empty: those of Suite
	Suite  string // suite, or tags separated by commas; empty: smoke, or all if Task or Tasks is set
	Failed string // of bench:mock: only the tasks that did not pass in this run; empty: all of them
	Tasks  string // folder of tasks, instead of the built-in ones
	Sites  string // folder of fixture hosts, in addition to the built-in ones
	Seed   int    // of the tasks' values, from 0 to 2^53; the word random of the option is one of them
	// Drift says what to do with a changed answer, one that differs from the transcript: count (or empty), strict,
	// or for task:try accept.
	Drift string
	Web   string // hermetic (or empty) or live

	MaxSteps    int           // replaces the step cap of every task; 0: does not
	MaxDuration time.Duration // replaces the time cap of every task, in whole milliseconds; 0: does not
	Repetitions int           // how often to run each task; 0: once, and for suite:check 10 times
	Parallel    int           // how many episodes run at the same time; 0: one
	Retries     int           // how often a void episode runs again

	Out     string // folder of reports/ and events/; empty: the current one
	RunID   string // name of the run, the option -run; empty: made from the time, and for report:show the newest run
	Resume  string // name of the run to continue; empty: none
	Shard   string // share of the episodes to run, such as 2/7; empty: all
	Keep    string // whose last page is saved: failed (or empty) means every episode that did not pass; all
	Format  string // more formats of the report: junit, gobench and github, separated by commas
	Exit    string // what the exit code says: status (or empty), bisect or bisect-tools
	Verbose bool   // print every call; for task:check: list the tasks

	Runs    int    // of bench:verify: how many runs to compare; 0: 3
	Join    string // of report:merge, the option -runs: the runs to join, separated by commas
	Episode string // of report:show: show only this episode, such as example-h1#1
	Judge   bool   // of report:show: judge every episode again
	Base    string // of report:compare: the run to compare with
	Head    string // of report:compare: the run to judge
	Gate    string // of report:compare and bench:parity: rules to keep, such as regressions==0; empty: none
	Check   string // of suite:check: names of checks, separated by commas; empty: all
	Facts   string // of task:check: file with facts to judge the contract of Task on

	Stdout io.Writer `json:"-"` // nil: os.Stdout
	Stderr io.Writer `json:"-"` // nil: os.Stderr
}
