package harness

import (
	"context"
	"fmt"
	"net"
	"strings"
	"text/tabwriter"

	"github.com/openchrome/bench/harness/report"
	"github.com/openchrome/bench/sites"
)

// List prints the tasks that the options choose.
func List(_ context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	p, err := newPlan(o)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(o.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TASK\tCATEGORY\tSTEPS\tTIME\tTAGS\tTITLE")
	for _, s := range p.tasks {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", s.ID, s.Category, s.MaxSteps, s.MaxDuration(),
			report.Visible(strings.Join(s.Tags, ",")), report.Visible(s.Title))
	}
	return w.Flush()
}

// Check reads all task files and transcripts and runs nothing. Every fault of
// every file is printed; the error is an [*ExitError] of [ExitUsage] then.
// Warnings are printed and are no error.
func Check(_ context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	p, err := newPlan(o)
	if err != nil {
		return err
	}
	warnings := 0
	for _, s := range p.tasks {
		for _, f := range s.Warnings {
			fmt.Fprintln(o.Stderr, "warning:", f)
			warnings++
		}
	}
	fmt.Fprintf(o.Stdout, "%s valid, %s\n", count(len(p.tasks), "task"), count(warnings, "warning"))
	return nil
}

// Serve serves the fixture web on the loopback for a person to look at, until
// ctx ends. port 0 takes a free one.
func Serve(ctx context.Context, o Options, port int) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	if port < 0 || port > 65535 {
		return usage(fmt.Errorf("options: port is %d, want 0 to 65535", port))
	}
	ctx, stop := interruptible(ctx, false)
	defer stop()
	set, err := openSites(o, "served")
	if err != nil {
		return err
	}
	return sites.ServeLocal(ctx, set, net.JoinHostPort("127.0.0.1", fmt.Sprint(port)), o.Stdout)
}
