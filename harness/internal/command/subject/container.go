package subject

import (
	"context"
	"errors"
	"fmt"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/drive/containers"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/text/display"
)

var container = kind{name: "container", auto: true, pkg: true, live: true,
	// It waits longer for an engine if the user did not choose auto, because no other
	// launcher can take its place.
	check: func(ctx context.Context, o Options) error {
		check := containers.Check
		if o.OpenChrome == auto {
			check = containers.Glance
		}
		_, err := check(ctx)
		return err
	},
	start: func(ctx context.Context, o Options, w webOptions, say lines) (session.Launcher, error) {
		return containers.New(ctx, containers.Options{
			BuildOptions: containers.BuildOptions{Package: o.Package, Progress: say},
			Sites:        w.sites, CA: w.ca, LiveWeb: w.live,
		})
	},
}

// ImageOptions are the options of container:build.
type ImageOptions struct {
	Package string // the OpenChrome; empty: the pinned one
	program.Streams
}

// BuildImages makes the container images ahead of a run.
func BuildImages(ctx context.Context, o ImageOptions) error {
	o.Streams = o.Streams.WithDefaults()
	images, err := containers.Build(ctx, containers.BuildOptions{Package: o.Package, Progress: o.Stdout})
	if err != nil {
		return err
	}
	harness, err := containers.BuildHarness(ctx, images.Server, o.Stdout)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Stdout, "web        %s\nopenchrome %s\npackage    %s\nharness    %s\nREADY: the images are built\n", images.Web, images.Server, images.Package, harness)
	return nil
}

// CleanContainers removes our own containers, networks and images, and nothing else.
func CleanContainers(ctx context.Context, s program.Streams) error {
	s = s.WithDefaults()
	removed, err := containers.Clean(ctx)
	for _, what := range removed {
		fmt.Fprintln(s.Stdout, "removed", what)
	}
	if err != nil {
		return errors.Join(err, errors.New("some of our containers, networks or images could not be removed"))
	}
	fmt.Fprintf(s.Stdout, "CLEAN: %s removed\n", display.Count(len(removed), "thing"))
	return nil
}
