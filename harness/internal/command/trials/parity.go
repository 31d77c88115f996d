package trials

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/internal/command/choose"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/command/stored"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

const defaultServers = "standin,local,container"

// Parity runs the tasks on several servers, which take turns. It prints a table of what
// each server needed, and compares the first server with each of the others. The error
// is as in [stored.Compare], whatever the statuses of the episodes are. A server that does not work
// here is an error. The runs of the servers have the run's id with -1, -2 and so on.
//
// When ctx ends, Parity compares the pairs that are done. The error then has
// [program.ExitInterrupted], and says how to run the others.
func Parity(ctx context.Context, o run.Options) error {
	gate, err := compare.ParseGate(o.Gate)
	if err != nil {
		return program.Usage(err)
	}
	pkg := o.Package
	o.Server, o.Package = "auto", "" // placeholders, because each run below sets its own value
	o, err = o.WithDefaults()
	if err != nil {
		return err
	}
	release := sync.OnceFunc(format.HoldCommands(o.Stdout, o.Format))
	defer release()
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	names := strings.Split(cmp.Or(o.Servers, defaultServers), ",")
	adapters := slices.Repeat([]string{o.Adapter}, len(names))
	switch {
	case o.Against != "" && (len(names) != 1 || !run.IsAgent(o.Adapter) || !run.IsAgent(o.Against)):
		return program.Usage(errors.New("-against: compares two agents on one server, such as -servers=local -adapter=agent:COMMAND -against=agent:COMMAND"))
	case o.Against != "":
		names, adapters = append(names, names[0]), []string{o.Adapter, o.Against}
	case len(names) < 2:
		return program.Usage(errors.New("-servers: name at least two, such as -servers=standin,local"))
	}
	profiled := o.Profile == ""
	var runs []run.Options
	var missing []error
	standin := false
	asked := slices.Clone(names)
	for i, name := range asked {
		one := o
		one.Server, one.Package = strings.TrimSpace(name), ""
		one.Adapter = adapters[i]
		if names[i] = label(asked, i); o.Against != "" {
			names[i] = fmt.Sprintf("agent %d", i+1)
		}
		chosen := one.Choice().WithDefaults() // splits NAME:PACKAGE
		if chosen.Package == "" && chosen.Drives() {
			chosen.Package = pkg
		}
		one.Server, one.Package = chosen.Server, chosen.Package
		standin = standin || one.Server == "standin"
		if !one.FitsProfile() {
			one.Profile, one.Described = "", nil
		}
		profiled = profiled || one.Profile != ""
		one.RunID, one.Parity = fmt.Sprintf("%s-%d", o.RunID, i+1), record.Parity{Run: o.RunID, Servers: len(asked)}
		if o.Resume != "" {
			one.Resume = one.RunID
		}
		if err := record.CheckRunID(one.RunID); err != nil {
			return program.Usage(fmt.Errorf("-run: %w", err))
		}
		same := func(other run.Options) bool {
			return other.Server == one.Server && other.Package == one.Package && other.Adapter == one.Adapter
		}
		if slices.ContainsFunc(runs, same) {
			return program.Usage(fmt.Errorf("%s is named twice", names[i]))
		}
		if err := cmp.Or(chosen.Check(one.Parallel), chosen.Works(ctx)); err != nil {
			missing = append(missing, fmt.Errorf("-servers: %s: %w", names[i], err))
		}
		runs = append(runs, one)
	}
	if !profiled {
		missing = append(missing, fmt.Errorf("-profile: %s is of another server than all servers", o.Profile))
	}
	if len(missing) > 0 {
		return program.Usage(errors.Join(missing...))
	}
	all, err := together(ctx, o, runs, names, standin)
	if err != nil {
		return err
	}
	var reports []*report.Report
	for _, c := range all {
		reports = append(reports, c.report)
	}
	done, unfinished := compare.Done(reports...)
	for i, c := range all {
		c.done = done[i]
	}
	var errs []error
	var kept []compare.Result
	for _, head := range all[1:] {
		result, err := all[0].compare(o, head, gate)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		kept = append(kept, result)
	}
	fmt.Fprintln(o.Stdout)
	grid := compare.GridOf(titles(all), done...)
	servers := serverTable(all, grid)
	shown := page.Parity(o.RunID, unfinished, servers, grid, o.Out, done...)
	if err := stored.TellAll(o.Out, o.Stdout, "comparison", o.RunID, shown, shown); err != nil {
		errs = append(errs, err)
	}
	for _, result := range kept {
		if err := stored.Gated(o.Stdout, result); err != nil {
			errs = append(errs, err)
		}
	}
	release() // the comparisons come first in the job summary
	for _, c := range all {
		if err := format.WriteAsked(o.Stdout, o.Out, o.Format, c.report); err != nil {
			errs = append(errs, err)
		}
	}
	return stored.Unfinished(unfinished, worst(errs))
}

func (c *contestant) compare(o run.Options, head *contestant, gate compare.Gate) (compare.Result, error) {
	compared, err := compare.Compare(c.done, head.done, compare.Options{Base: c.name, Head: head.name, Interleaved: true})
	if err != nil {
		return compare.Result{}, stored.Refused(err)
	}
	fmt.Fprintln(o.Stdout)
	return stored.Tell(o.Out, o.Stdout, compared, gate)
}

// titles are what people call the servers, if that tells them apart, else the names that were asked for.
func titles(all []*contestant) (list []string) {
	for _, c := range all {
		list = append(list, compare.Title(c.report))
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(list))); len(distinct) == len(list) {
		return list
	}
	for i, c := range all {
		list[i] = c.name
	}
	return list
}

func worst(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	code := 0
	for _, err := range errs {
		code = max(code, program.ExitCode(err))
	}
	return &program.ExitError{Code: code, Err: errors.Join(errs...)}
}

// label is the name under which a server is shown. It includes the package only if another
// server differs in nothing else.
func label(asked []string, i int) string {
	name := choose.Options{Server: strings.TrimSpace(asked[i])}
	short := name.WithDefaults().Shown()
	for j, other := range asked {
		if j != i && (choose.Options{Server: strings.TrimSpace(other)}).WithDefaults().Shown() == short {
			return name.Shown()
		}
	}
	return short
}

// together runs the episodes of all runs in turns. If they were stopped, their reports are not whole.
func together(ctx context.Context, o run.Options, runs []run.Options, names []string, standin bool) ([]*contestant, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	turns := run.NewTurns(len(runs))
	var all []*contestant
	var group sync.WaitGroup
	var writing sync.Mutex
	console := program.NewConsole(&lines{to: o.Stdout, one: &writing}, o.Stderr, cancel)
	defer console.Close(ctx)
	turns.Say = func(line string) {
		if ctx.Err() == nil { // a pair that was cut off is not done
			console.Say(line)
		}
	}
	failed := make(chan error, len(runs))
	width := 0
	for _, name := range names {
		width = max(width, len(name))
	}
	for i, one := range runs {
		c := &contestant{name: names[i]}
		all = append(all, c)
		one.NoScripts = standin // all servers run the same tasks
		one.Turn = turns.Of(i)
		one.Stdout = &lines{to: o.Stdout, one: &writing, prefix: fmt.Sprintf("%-*s  ", width, display.Visible(names[i]))}
		group.Go(func() {
			var err error
			if c.report, err = run.Episodes(ctx, one); err == nil {
				c.costs, err = readCosts(context.WithoutCancel(ctx), one.EventsFile())
			}
			if err != nil {
				failed <- err
			}
			if err != nil || !c.report.Totals.Complete() {
				cancel() // the others would wait forever for its turns
			}
		})
	}
	group.Wait()
	close(failed)
	return all, <-failed // the later ones only say that they were stopped
}

type contestant struct {
	name   string
	report *report.Report
	done   *report.Report   // with the episodes that all servers have done
	costs  map[string]*cost // by episode
}
