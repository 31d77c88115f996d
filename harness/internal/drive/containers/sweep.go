package containers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// kindDocker is the watchdog's kind of guard for containers. Its argument is the id of a run.
const kindDocker = "docker"

func init() { watchdog.Handle(kindDocker, afterKill) }

// afterKillTimeout is how long the watchdog looks for leftovers of a run. A busy engine takes 15 s to
// remove two containers.
const afterKillTimeout = 50 * time.Second

// afterKill removes a run's containers and network. It repeats this until no new one has
// appeared for a while, because the engine may complete a creation after the owner's death.
func afterKill(run string) {
	ctx, cancel := context.WithTimeout(context.Background(), afterKillTimeout)
	defer cancel()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for clean := 0; clean < 4; {
		removed, err := removeRun(ctx, run)
		clean++
		if err != nil || removed > 0 {
			clean = 0
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func removeRun(ctx context.Context, run string) (removed int, err error) {
	e, err := connect(ctx)
	if err != nil {
		return 0, err
	}
	defer e.close()
	names, err := e.remove(ctx, runLabel+"="+run, func(watchdog.Owner) bool { return true })
	return len(names), err
}

// sweep removes the leftovers of owners that are known to be dead.
func (e *engine) sweep(ctx context.Context) ([]string, error) {
	return e.remove(ctx, runLabel, watchdog.Owner.Dead)
}

// Removal are shell commands that remove our containers, networks and images. They also stop
// runs that are going on.
func Removal() []string {
	return []string{
		"docker rm -fv $(docker ps -aq --filter label=" + runLabel + ")",
		"docker network prune -f --filter label=" + runLabel,
		"docker image prune -af --filter label=" + imageLabel,
	}
}

// remove removes the containers, then the networks, that have the label and an owner for
// which ours returns true. It goes on after an error.
func (e *engine) remove(ctx context.Context, label string, ours func(watchdog.Owner) bool) (removed []string, err error) {
	var faults []error
	take := func(what string, labels map[string]string, remove func(context.Context, string) error, id string) {
		var o watchdog.Owner
		if json.Unmarshal([]byte(labels[ownerLabel]), &o) != nil || labels[runLabel] == "" || !ours(o) {
			return
		}
		if err := remove(ctx, id); err != nil {
			faults = append(faults, err)
			return
		}
		removed = append(removed, what)
	}
	filter := make(client.Filters).Add("label", label)
	containers, err := e.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
	if err != nil {
		return nil, fmt.Errorf("docker: list containers: %w", err)
	}
	for _, c := range containers.Items {
		name := strings.TrimPrefix(slices.Concat(c.Names, []string{c.ID})[0], "/")
		take("container "+name, c.Labels, e.removeContainer, c.ID)
	}
	networks, err := e.api.NetworkList(ctx, client.NetworkListOptions{Filters: filter})
	if err != nil {
		faults = append(faults, fmt.Errorf("docker: list networks: %w", err))
	}
	for _, n := range networks.Items {
		take("network "+n.Name, n.Labels, e.removeNetwork, n.ID)
	}
	return removed, errors.Join(faults...)
}

// removeContainer kills and removes the container, and waits until it is gone. It is not an
// error if the container is already gone or being removed.
func (e *engine) removeContainer(ctx context.Context, id string) error {
	// An engine can fail to report the end of its own removal. Without this, the wait below
	// would never end.
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	_, err := e.api.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if errdefs.IsConflict(err) { // the engine is already removing it
		wait := e.api.ContainerWait(ctx, id, client.ContainerWaitOptions{Condition: container.WaitConditionRemoved})
		select {
		case <-wait.Result:
			err = nil
		case err = <-wait.Error:
		}
	}
	if err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("docker: remove container %.12s: %w", id, err)
	}
	return nil
}

func (e *engine) removeNetwork(ctx context.Context, id string) error {
	_, err := e.api.NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
	if err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("docker: remove network %.12s: %w", id, err)
	}
	return nil
}

const removeTimeout = 10 * time.Second
