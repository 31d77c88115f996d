package option

import (
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
)

// The targets that an option belongs to.
const (
	runs   = "bench:mock bench:episode "                                        // one run
	series = runs + "bench:verify bench:parity "                                // one run or several
	agents = "bench:episode bench:parity "                                      // what can start an agent
	drives = series + "suite:check task:try task:record "                       // what drives a server
	reads  = series + "suite:check task:check task:try site:serve"              // what reads tasks
	files  = series + "report:show report:merge report:compare report:history " // what has reports/ and events/
)

const suites = "suite or tags of tasks: smoke, core (which includes smoke), hard, reported, fixed, all, or tags " +
	"separated by commas"

// Rows are the options, in the order of the help. A name with two meanings has a row for each.
// To add an option: its row here, its field in [Values].
var Rows = []Row{
	{Name: "server", In: runs + "bench:verify suite:check task:try task:record doctor",
		At: func(v *Values) any { return &v.Server },
		Doc: "server to drive: auto, container, local, standin, " + strings.Join(server.Names()[1:], ", ") + ", a " +
			"command that serves MCP on stdio, or an address; NAME:PACKAGE names its package (auto)",
		Plan: func(s *record.RunStart) any { return &s.Launcher }, Meant: true, Uses: Resumes | Merges | Repeats},
	{Name: "servers", In: "bench:parity", At: func(v *Values) any { return &v.Servers },
		Doc: "servers, separated by commas, each like a value of -server; the first is compared with each of the " +
			"others (standin,local,container)",
		Because: "each of its runs drives one of them"},
	{Name: "package", In: drives + "doctor", Rare: true, At: func(v *Values) any { return &v.Package },
		Doc: "package of the server, if its name has none: a folder with a built OpenChrome, or with another " +
			"server that is installed; for container also a version on npm or a .tgz",
		Because: "the plan has a digest of its content"},
	{Name: "adapter", In: "bench:episode bench:verify bench:parity task:check",
		At: func(v *Values) any { return &v.Adapter },
		Doc: "adapter that decides the calls: mock replays transcripts, none makes no call, policy:all or " +
			"policy:form,ref+check carries out intents, agent:COMMAND or agent:NAME starts an agent (mock)",
		Plan: func(s *record.RunStart) any { return &s.Adapter }, Meant: true,
		Uses: Resumes | Merges | Compares | Repeats, Default: transcript.Mock},
	{Name: "profile", In: "bench:episode bench:verify bench:parity task:try", Rare: true,
		At:   func(v *Values) any { return &v.Profile },
		Doc:  "file with another description of the server (the built-in one)",
		Plan: func(s *record.RunStart) any { return &s.Options.Profile }, Uses: Repeats,
		Because: "the plan has its digest"},

	{Name: "policy", In: "task:try", At: func(v *Values) any { return &v.Policy },
		Doc: "policy that carries out the intents, such as form or ref+check, instead of the transcript; each step " +
			"shows what an intent found, and which others had the same name"},

	{Name: "against", In: "bench:parity", At: func(v *Values) any { return &v.Against },
		Doc:     "a second agent, like a value of -adapter, which takes turns with the first on one server",
		Because: "each of its runs has one agent"},
	{Name: "agentEnv", In: agents, Rare: true, At: func(v *Values) any { return &v.AgentEnv },
		Doc:  "names of variables that the agent gets, such as keys, separated by commas; reports hide their values",
		Plan: func(s *record.RunStart) any { return &s.Options.AgentEnv }, Uses: Resumes | Merges | Repeats},
	{Name: "agentRead", In: agents, Rare: true, At: func(v *Values) any { return &v.AgentRead },
		Doc: "files and folders that the agent can read, separated by commas, in addition to the system, its " +
			"program and the files that its command line names",
		Plan: func(s *record.RunStart) any { return &s.Options.AgentRead }, Uses: Repeats,
		Because: "the plan has the digest of the command line"},
	{Name: "agentPorts", In: agents, Rare: true, At: func(v *Values) any { return &v.AgentPorts },
		Doc:  "TCP ports that the agent can connect to, separated by commas, such as 443; with one it can also use DNS",
		Plan: func(s *record.RunStart) any { return &s.Options.AgentPorts }, Uses: Resumes | Merges | Repeats},

	{Name: "task", In: reads, At: func(v *Values) any { return &v.Task },
		Doc:     "ids of tasks, separated by commas; with -suite, all of them must be in it",
		Because: "the plan lists the tasks"},
	{Name: "suite", In: series + "suite:check", At: func(v *Values) any { return &v.Suite },
		Doc: suites + " (smoke; all with -task or -tasks)", Because: "the plan lists the tasks"},
	{Name: "suite", In: "task:check", At: func(v *Values) any { return &v.Suite }, Doc: suites + " (all)"},
	{Name: "failed", In: runs, At: func(v *Values) any { return &v.Failed },
		Doc: "only the tasks that did not pass in this run: its name, the folder of its reports/ and events/, its " +
			"event log or its record", Because: "the plan lists the tasks"},
	{Name: "tasks", In: reads + " task:record", At: func(v *Values) any { return &v.Tasks },
		Doc:  "folder of your own tasks, instead of the built-in ones",
		Plan: func(s *record.RunStart) any { return &s.Options.Tasks }, Uses: Repeats,
		Because: "the plan has digests of its files"},
	{Name: "sites", In: reads + " task:record", At: func(v *Values) any { return &v.Sites },
		Doc:  "folder of your own fixture hosts, in addition to the built-in ones",
		Plan: func(s *record.RunStart) any { return &s.Options.Sites }, Uses: Repeats,
		Because: "the plan has a digest of its files"},
	{Name: "seed", In: reads, At: func(v *Values) any { return &v.Seed }, Max: 1 << 53, Random: true,
		Doc:  "the seed of the tasks' values: 0 to 9007199254740992, or random (0)",
		Plan: func(s *record.RunStart) any { return &s.Options.Seed }, Uses: Resumes | Merges | Compares | Repeats},
	{Name: "drift", In: series, Rare: true, At: func(v *Values) any { return &v.Drift },
		Doc: "what to do with a changed answer, one that differs from the transcript: count records it and goes " +
			"on, strict ends the episode (count)",
		Plan: func(s *record.RunStart) any { return &s.Options.Drift }, Uses: Resumes | Merges | Compares | Repeats,
		Words: []string{record.DriftCount, record.DriftStrict}, Default: record.DriftCount},
	{Name: "drift", In: "task:try", At: func(v *Values) any { return &v.Drift },
		Doc: "what to do with a changed answer, one that differs from the transcript: count shows it, accept " +
			"writes the answers into the transcript and shows only the lines that change (count)",
		Words: []string{record.DriftCount, Accept}, Default: record.DriftCount},
	{Name: "web", In: runs + "bench:verify task:check task:try", Rare: true, At: func(v *Values) any { return &v.Web },
		Doc: "hermetic: only fixture hosts exist; live: all other hosts are the real ones on the internet, with " +
			"container and local only (hermetic)",
		Plan: func(s *record.RunStart) any { return &s.Web.Mode }, Uses: Resumes | Merges | Compares | Repeats,
		Words: []string{Hermetic, Live}, Default: Hermetic},

	{Name: "maxSteps", In: series, At: func(v *Values) any { return &v.MaxSteps }, Min: 1, Max: task.LimitMaxSteps,
		Doc:  "replaces the step cap of every task: 1 to 100",
		Plan: func(s *record.RunStart) any { return &s.Options.MaxSteps }, Uses: Resumes | Merges | Repeats},
	{Name: "maxDuration", In: series, At: func(v *Values) any { return &v.MaxDuration }, Min: int(time.Millisecond),
		Max:  task.LimitMaxDurationMs * int(time.Millisecond),
		Doc:  "replaces the time cap of every task: 1ms to 10m, such as 30s",
		Plan: func(s *record.RunStart) any { return &s.Options.MaxDurationMs }, Uses: Resumes | Merges | Repeats},
	{Name: "repetitions", In: series, At: func(v *Values) any { return &v.Repetitions }, Min: 1,
		Max:  record.MaxRepetitions,
		Doc:  "how many times to run each task (1)",
		Plan: func(s *record.RunStart) any { return &s.Options.Repetitions }, Uses: Resumes | Merges},
	{Name: "repetitions", In: "suite:check", At: func(v *Values) any { return &v.Repetitions }, Min: 1,
		Max: record.MaxRepetitions,
		Doc: "how many times to play each task's oracle (10)"},
	{Name: "parallel", In: runs + "suite:check", At: func(v *Values) any { return &v.Parallel }, Min: 1, Max: 64,
		Doc:     "how many episodes to run at the same time (1)",
		Plan:    func(s *record.RunStart) any { return &s.Options.Parallel },
		Because: "bench:verify shows that it changes no result"},
	{Name: "retries", In: runs, At: func(v *Values) any { return &v.Retries }, Max: 100,
		Doc:  "how often to run a void episode again; a failed one never runs again (0)",
		Plan: func(s *record.RunStart) any { return &s.Options.Retries }, Uses: Resumes | Merges},

	{Name: "runs", In: "bench:verify", At: func(v *Values) any { return &v.Runs }, Min: 2, Max: 1000,
		Doc: "how many runs to compare (3)", Because: "each of its runs is a run like any other"},
	{Name: "runs", In: "report:merge", At: func(v *Values) any { return &v.Join },
		Doc: "the runs to join, separated by commas, in any order: names, folders that hold events/ (all runs in " +
			"them), or event logs"},
	{Name: "runs", In: "report:history", At: func(v *Values) any { return &v.Join },
		Doc: "the runs, separated by commas: names, folders that hold reports/ and events/ (all runs in them), " +
			"event logs or records (all runs in -out)"},
	{Name: "out", In: files + "doctor task:record", At: func(v *Values) any { return &v.Out },
		Doc: "folder of reports/ and events/ (the current folder)", Because: "it says only where files go"},
	{Name: "run", In: series + "report:merge", At: func(v *Values) any { return &v.RunID },
		Doc: "name of the run (made from the time)", Because: "it is only a name"},
	{Name: "run", In: "report:show", At: func(v *Values) any { return &v.RunID },
		Doc: "name of the run (the newest one)"},
	{Name: "run", In: "task:record", At: func(v *Values) any { return &v.RunID },
		Doc: "name of the run that has the episode"},
	{Name: "resume", In: runs + "bench:parity", At: func(v *Values) any { return &v.Resume },
		Doc: "the -run to continue, with the options that it had: episodes that are done do not run again. If " +
			"it has no log yet, it starts",
		Because: "the plan must be the one of the run"},
	{Name: "shard", In: runs, Rare: true, At: func(v *Values) any { return &v.Shard },
		Doc: "run only a share of the episodes, such as 2/7; join the shards with report:merge (all; in a " +
			"Kubernetes Indexed Job the environment says which)",
		Plan: func(s *record.RunStart) any { return &s.Shard }, Uses: Resumes},
	{Name: "keep", In: runs, Rare: true, At: func(v *Values) any { return &v.Keep },
		Doc: "episodes whose last page and screenshot are saved next to the log: failed means every episode that " +
			"did not pass, all means every episode, steps is like failed with a screenshot after each step, which " +
			"takes time (failed)",
		Words: []string{KeepFailed, KeepAll, KeepSteps}, Default: KeepFailed,
		Because: "it is done after the episode or between two steps"},

	{Name: "episode", In: "report:show", At: func(v *Values) any { return &v.Episode },
		Doc: "show only this episode, such as example-h1#1: why it failed, each step, and how to run it again"},
	{Name: "episode", In: "task:record", At: func(v *Values) any { return &v.Episode },
		Doc: "the episode to write as a transcript, such as example-h1#1"},
	{Name: "judge", In: "report:show", At: func(v *Values) any { return &v.Judge },
		Doc: "judge every episode again from its logged facts"},
	{Name: "base", In: "report:compare", At: func(v *Values) any { return &v.Base },
		Doc: "the run to compare with: its name, a folder that holds reports/ and events/ (the newest run in it), " +
			"an event log, or a record such as a committed .record.jsonl"},
	{Name: "head", In: "report:compare", At: func(v *Values) any { return &v.Head },
		Doc: "the run to judge, given in the same way"},
	{Name: "gate", In: "bench:parity report:compare report:history", At: func(v *Values) any { return &v.Gate },
		Doc: "rules that the head, every server after the first, or the newest version must keep, separated by " +
			"commas, such as regressions==0,duration.rise<=20%; a breach exits with 7",
		Because: "it judges what was run"},
	{Name: "check", In: "suite:check", At: func(v *Values) any { return &v.Check },
		Doc: "checks to make, separated by commas: oracle, null, start, wanderer, cut, mutants, typed, " +
			"receipt, leak, goal, forbidden, twice, then, defect, steps, literal, seeds (all)"},
	{Name: "facts", In: "task:check", At: func(v *Values) any { return &v.Facts },
		Doc: "judge the contract of -task on the facts in this file: what OpenChrome's oc_assert takes, what its " +
			"tools answer, or a facts event of a log"},
	{Name: "format", In: series + "report:show report:merge", At: func(v *Values) any { return &v.Format },
		Doc: "more formats of the report, separated by commas: junit, gobench, github; in GitHub Actions, " +
			"github is always added",
		Because: "it is written after the run"},
	{Name: "exit", In: runs, Rare: true, At: func(v *Values) any { return &v.Exit },
		Doc: "status: the exit code has the verdict; bisect: it is one for git bisect run, 0 if all passed, 1 if " +
			"none did, 125 if void, mixed or for lack of a tool; bisect-tools: such a lack is 1 (status)",
		Words: []string{"status", Bisect, BisectTools}, Default: "status",
		Because: "it is only about what is returned"},
	{Name: "verbose", In: runs, At: func(v *Values) any { return &v.Verbose },
		Doc: "print every call, and every passed episode of a run of more than 100; OPENCHROME_BENCH_VERBOSE=1 " +
			"does the same",
		Because: "it is only about what is printed"},
	{Name: "verbose", In: "task:check", At: func(v *Values) any { return &v.Verbose }, Doc: "list the tasks"},
}

// Values of options that only commands know.
const (
	Accept     = "accept" // of -drift
	Hermetic   = "hermetic"
	Live       = "live"
	KeepFailed = "failed"
	KeepAll    = "all"
	KeepSteps  = "steps"

	Bisect      = "bisect" // of -exit
	BisectTools = "bisect-tools"
)
