package harness

import (
	"context"
	"errors"
	"fmt"

	"github.com/openchrome/bench/containers"
)

// BuildImages makes the container images ahead of a run.
func BuildImages(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	images, err := containers.Build(ctx, containers.BuildOptions{Package: o.Package, Server: o.Server, Progress: o.Stdout})
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Stdout, "web        %s\nopenchrome %s\npackage    %s\nREADY: the images are there\n", images.Web, images.Server, images.Package)
	return nil
}

// CleanContainers removes the containers, networks and images that are ours,
// and nothing else.
func CleanContainers(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	removed, err := containers.Clean(ctx)
	for _, what := range removed {
		fmt.Fprintln(o.Stdout, "removed", what)
	}
	if err != nil {
		return errors.Join(err, errors.New("not everything is gone"))
	}
	fmt.Fprintf(o.Stdout, "CLEAN: %s removed\n", count(len(removed), "thing"))
	return nil
}
