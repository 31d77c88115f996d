package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/sites"
)

// chosen is the launcher of a run.
type chosen struct {
	openchrome.Launcher
	name string
}

// place is one way to have an OpenChrome, as -openchrome names it.
type place struct {
	name string
	// check says, in little time, why it does not work on this machine.
	check func(context.Context, Options) error
	start func(context.Context, Options, *sites.Set, *sites.CA) (openchrome.Launcher, error)
}

// places are the named ones in the order in which auto tries them.
var places = []place{
	{"standin", func(_ context.Context, o Options) error {
		if o.Web == "live" {
			return fmt.Errorf("the stand-in has no live web; use -openchrome=local or container")
		}
		return nil
	}, startStandin},
}

func startStandin(_ context.Context, _ Options, set *sites.Set, ca *sites.CA) (openchrome.Launcher, error) {
	var latency time.Duration
	if v := os.Getenv("OPENCHROME_BENCH_STANDIN_LATENCY"); v != "" {
		var err error
		if latency, err = time.ParseDuration(v); err != nil {
			return nil, fmt.Errorf("OPENCHROME_BENCH_STANDIN_LATENCY: %w", err)
		}
	}
	return openchrome.NewStandin(openchrome.StandinOptions{Sites: set, CA: ca, Latency: latency})
}

// launcher returns the launcher that -openchrome asks for. say is told in one
// line what auto took, and why not the ones before.
func launcher(ctx context.Context, o Options, set *sites.Set, say func(string)) (*chosen, error) {
	ca, err := sites.NewCA(set.Hosts()...)
	if err != nil {
		return nil, fmt.Errorf("make the run's CA: %w", err)
	}
	if o.Web == "live" {
		set = nil
	}
	if o.OpenChrome == "auto" {
		return auto(ctx, o, set, ca, say)
	}
	if i := slices.IndexFunc(places, func(p place) bool { return p.name == o.OpenChrome }); i >= 0 {
		p := places[i]
		if err := p.check(ctx, o); err != nil {
			return nil, fmt.Errorf("-openchrome=%s: %w", p.name, err)
		}
		l, err := p.start(ctx, o, set, ca)
		if err != nil {
			return nil, fmt.Errorf("-openchrome=%s: %w", p.name, err)
		}
		return &chosen{l, p.name}, nil
	}
	if !isCommand(o.OpenChrome) {
		return nil, usage(unknownPlace(o.OpenChrome))
	}
	l, err := openchrome.NewCommand(openchrome.CommandOptions{Line: o.OpenChrome, Sites: set, CA: ca})
	if err != nil {
		return nil, usage(fmt.Errorf("-openchrome: %w", err))
	}
	return &chosen{l, "command"}, nil
}

func auto(ctx context.Context, o Options, set *sites.Set, ca *sites.CA, say func(string)) (*chosen, error) {
	var not []string
	for _, p := range places {
		err := p.check(ctx, o)
		var l openchrome.Launcher
		if err == nil {
			l, err = p.start(ctx, o, set, ca)
		}
		if err != nil {
			not = append(not, fmt.Sprintf("not %s: %v", p.name, err))
			continue
		}
		line := "openchrome: took " + p.name
		if len(not) > 0 {
			line += " (" + strings.Join(not, "; ") + ")"
		}
		say(line)
		return &chosen{l, p.name}, nil
	}
	return nil, fmt.Errorf("-openchrome=auto: nothing works here: %s; run mage doctor", strings.Join(not, "; "))
}

// unknownPlace refuses a single word that is no place and no command: it is
// most often a slip.
func unknownPlace(v string) error {
	var names []string
	for _, p := range places {
		names = append(names, p.name)
	}
	return fmt.Errorf("-openchrome=%s: no such command; want auto, %s, a command line or an http(s) address",
		v, strings.Join(names, ", "))
}

// isCommand reports whether v is meant as a command line: it has more than one
// word, or its only word can be run.
func isCommand(v string) bool {
	if strings.ContainsAny(v, " \t/") {
		return true
	}
	_, err := exec.LookPath(v)
	return err == nil
}
