package containers

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/internal/need"
)

// The commands of mage doctor remove what has our labels. Here they are for the labels of this
// test only, because other tests and runs use the engine.
func TestRemoval(t *testing.T) {
	e := needEngine(t)
	need.Program(t, "docker")
	run, kind := uuid.NewString(), "removal-"+uuid.NewString()
	i := image{kind: kind, identity: t.Name(), files: recipe("static")}
	i.files["server"] = []byte("#!/bin/sh\n")
	id, err := e.buildImage(t.Context(), i, nil)
	need.OK(t, err)
	labels := map[string]string{runLabel: run}
	c, err := e.api.ContainerCreate(t.Context(), client.ContainerCreateOptions{Config: &container.Config{Image: id, Cmd: []string{"x"}, Labels: labels}})
	need.OK(t, err)
	t.Cleanup(func() { e.removeContainer(context.Background(), c.ID) })
	n, err := e.api.NetworkCreate(t.Context(), "openchrome-bench-test-"+run[:8], client.NetworkCreateOptions{Driver: "bridge", Internal: true, Labels: labels})
	need.OK(t, err)
	t.Cleanup(func() { e.removeNetwork(context.Background(), n.ID) })
	for _, command := range Removal() {
		command = strings.NewReplacer(runLabel, runLabel+"="+run, imageLabel, imageLabel+"="+kind).Replace(command)
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Env = append(cmd.Environ(), "DOCKER_HOST="+e.Host)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	need.Fails(t, need.Err(e.api.ContainerInspect(t.Context(), c.ID, client.ContainerInspectOptions{})), "")
	need.Fails(t, need.Err(e.api.NetworkInspect(t.Context(), n.ID, client.NetworkInspectOptions{})), "")
	if left, err := e.imageID(t.Context(), i.tag()); err == nil && left != "" {
		t.Error("the image is there")
	}
}
