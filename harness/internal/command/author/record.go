package author

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// An oracle is written only if it passes this often, on the seed of its episode and on two others.
const (
	plays      = 3
	otherSeeds = 2
)

// Record writes an episode of a log as a transcript of its task: one that passed as
// transcript.jsonl, another one as forbidden.RUN.jsonl.
func Record(ctx context.Context, o run.Options) error {
	name := o.Episode
	if !strings.Contains(name, "#") || o.Tasks == "" || o.RunID == "" {
		return program.Usage(errors.New("-episode: name the run, one of its episodes and the folder of the task, as in -run=r -episode=example-h1#1 -tasks=my-tasks; in the project's own folder -tasks=fixtures"))
	}
	if err := record.CheckRunID(o.RunID); err != nil {
		return program.Usage(fmt.Errorf("-run: %w", err))
	}
	o, err := o.WithDefaults()
	if err != nil {
		return err
	}
	logged, err := readEpisode(ctx, o.EventsFile(), name)
	if err != nil {
		return program.Usage(err)
	}
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	id := logged.task
	o.Task, o.Seed = id, logged.seed
	temp, remove, err := watchdog.TempDir()
	if err != nil {
		return err
	}
	defer remove()
	folder := filepath.Join(o.Tasks, id)
	if err := os.CopyFS(filepath.Join(temp, id), os.DirFS(folder)); err != nil {
		return program.Usage(fmt.Errorf("-tasks: %w", err))
	}
	into := o.Tasks
	o.Tasks = temp
	spec, err := run.One(o)
	if err != nil {
		return err
	}
	lines, notes, faults := logged.recording(spec, folder).Lines()
	if most := spec.MaxSteps; len(lines) > most { // agents have more
		faults = append(faults, fmt.Sprintf("the episode has %d calls, and its task allows %d; raise maxSteps in task.json", len(lines), most))
	}
	for _, note := range notes {
		fmt.Fprintln(o.Stderr, "warning:", display.Visible(note))
	}
	if faults != nil {
		for _, fault := range faults {
			fmt.Fprintln(o.Stderr, display.Visible(fault))
		}
		return program.Usage(fmt.Errorf("%s in %s: nothing was written", display.Count(len(faults), "fault"), display.Visible(name)))
	}
	text := strings.Join(lines, "\n") + "\n"
	file := transcript.OracleFile
	if logged.status != record.Passed {
		file = "forbidden." + o.RunID + ".jsonl"
	} else {
		if err := regular.WriteFile(temp, filepath.Join(id, file), []byte(text)); err != nil {
			return err
		}
		if err := prove(ctx, o); err != nil {
			return err
		}
	}
	if err := regular.WriteFile(into, filepath.Join(id, file), []byte(text)); err != nil {
		return err
	}
	fmt.Fprintf(o.Stdout, "wrote %s to %s\n", display.Count(len(lines), "call"), display.Visible(filepath.Join(into, id, file)))
	return nil
}

type logged struct {
	task   string // its id
	seed   int
	steps  []adapter.Step
	status record.Status
}

// readEpisode reads the last attempt at an episode.
func readEpisode(ctx context.Context, file, name string) (logged, error) {
	var l logged
	var ledger record.Ledger // it checks the task's id, which names a folder
	_, err := eventlog.ReadFile(ctx, file, func(e record.Event) error {
		if err := ledger.Add(e); err != nil || e.Episode != name {
			return err
		}
		switch b := e.Body.(type) {
		case *record.Reset:
			l = logged{task: cmp.Or(b.Task.Of, b.Task.ID), seed: ledger.Start.Options.Seed}
			if b.Server != nil && slices.Contains(server.Names()[1:], b.Server.Launcher) {
				return fmt.Errorf("%s ran on %s; only episodes of OpenChrome can be recorded", display.Visible(name), display.Visible(b.Server.Launcher))
			}
		case *record.ToolCall:
			if e.By == record.ByAdapter {
				l.steps = append(l.steps, adapter.Step{Call: b.Call})
			}
		case *record.ToolResult:
			if n := len(l.steps); e.By == record.ByAdapter && n > 0 {
				l.steps[n-1].Result = b.Result
			}
		case *record.Stop:
			l.status = b.Status
		}
		return nil
	})
	switch {
	case err != nil:
		return l, err
	case l.status == "":
		return l, fmt.Errorf("-episode: %s: %s has no such episode that ended", display.Visible(name), display.Visible(file))
	case l.status.Class() == record.Void:
		return l, fmt.Errorf("%s is void; record one that passed or failed", display.Visible(name))
	case len(l.steps) < 2:
		return l, fmt.Errorf("%s made no call", display.Visible(name))
	}
	return l, nil
}

// recording is the episode of a task with the values of its seed.
func (l logged) recording(t task.Spec, folder string) transcript.Recording {
	r := transcript.Recording{Steps: l.steps, Values: t.Values, Reads: reads}
	if raw, err := regular.Read(filepath.Join(folder, task.FileName), jsonfile.MaxSize); err == nil {
		r.Prefer = param.Paths(string(raw))
	}
	tab := ""
	for _, step := range l.steps {
		r.Tabs = append(r.Tabs, tab)
		tab = episode.TabAfter(server.OpenChrome(), tab, step.Call, step.Result)
	}
	return r
}

// reads reports whether a call of OpenChrome only reads or waits.
func reads(c adapter.Call) bool {
	tool, _ := server.OpenChrome().ToolOf(c)
	return tool.Does == server.Reads
}

// prove plays the transcript of the stage's task on its seed and on others.
func prove(ctx context.Context, o run.Options) error {
	stage, err := run.OpenStage(ctx, o, func(line string) { fmt.Fprintln(o.Stderr, line) })
	if err != nil {
		return err
	}
	defer stage.Close()
	for seed := o.Seed; seed <= o.Seed+otherSeeds; seed++ {
		t, err := stage.WithSeed(stage.Tasks[0], seed)
		if err != nil {
			return err
		}
		for n := range plays {
			trial := &trial{Options: o, ctx: ctx, stage: stage, task: t, answers: make(map[int]adapter.Result)}
			last, err := trial.play(func(_ session.Session, replay adapter.Adapter) adapter.Adapter { return replay })
			if err != nil {
				return err
			}
			if last.Status != record.Passed {
				return &program.ExitError{Code: program.ExitFailed, Err: fmt.Errorf("FAILED: nothing was written: played again on seed %d, time %d of %d, the episode is %s: %s",
					seed, n+1, plays, last.Status, display.VisibleTo(last.Reason, 500))}
			}
		}
		fmt.Fprintf(o.Stdout, "passed %d of %d on seed %d\n", plays, plays, seed)
	}
	return nil
}
