package containers

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/internal/drive/session"
)

// deathTimeout bounds the wait for a container to end after its stream has ended.
const deathTimeout = 2 * time.Second

// Explain implements [session.Process].
func (c *process) Explain(err error) error {
	text, ours := c.fate()
	return explain(err, text, c.LastLine(), ours)
}

// explain adds to err how a program ended, and the program's last line. It returns an
// [*session.Outage] if ours is set: the program did not cause its end.
func explain(err error, text, last string, ours bool) error {
	if last != "" {
		text += ": " + last
	}
	err = fmt.Errorf("%w: %s", err, text)
	if ours {
		err = &session.Outage{Err: err}
	}
	return err
}

// fate describes how the process ended. ours reports whether something else caused the end,
// or may have: the engine, the connection to it, or a SIGKILL. Nobody says who sent that, and
// the figures that would show our own memory limit are gone with the container.
func (c *process) fate() (text string, ours bool) {
	select {
	case <-c.ended:
	case <-time.After(deathTimeout):
		if c.isCut() {
			return "the engine's connection to its container ended, but the container is still running", true
		}
		return "its container is still running", false
	}
	switch {
	case c.untold != nil:
		return fmt.Sprintf("its container is gone, and the engine does not say how it ended: %v", c.untold), true
	case c.status == killed && c.outOfMemory(true):
		return fmt.Sprintf("its container was killed: it needed more memory than our limit of %d MiB (OOMKilled)", c.memory>>20), true
	case c.status == killed:
		return "its container was killed from outside: exit status 137", true
	case c.status == 0 && c.isBroken():
		// A process exits with 0 at the end of its input, but we did not close the input.
		return fmt.Sprintf("the engine's connection to its container was lost: %v", c.broken), true
	}
	return fmt.Sprintf("its container ended: exit status %d", c.status), false
}

// killed is the exit code of a process that SIGKILL ended.
const killed = 128 + 9

// eventTimeout bounds the request for a container's past events.
const eventTimeout = time.Second

// outOfMemory reports whether the container hit its memory limit. It reads the engine's
// events, which stay for a while after the container's state is removed. If the container
// is not gone, it asks for those until now, or else the engine would wait for later events.
func (c *process) outOfMemory(gone bool) bool {
	until := ""
	if now := time.Now(); !gone {
		until = fmt.Sprintf("%d.%09d", now.Unix(), now.Nanosecond())
	}
	ctx, cancel := context.WithTimeout(context.Background(), eventTimeout)
	defer cancel()
	filters := make(client.Filters).Add("container", c.id).Add("event", string(events.ActionOOM), string(events.ActionDestroy))
	past := c.engine.api.Events(ctx, client.EventsListOptions{Since: "1", Until: until, Filters: filters})
	select {
	case e := <-past.Messages: // an oom event comes before the destroy event
		return e.Action == events.ActionOOM
	case <-past.Err:
		return false
	}
}

// overLimit reports whether the running container itself needed more memory than our limit,
// and the kernel killed a process of it for that. A machine without memory may cause the
// same event, but does not count as a hit of the container's limit.
func (c *process) overLimit() bool {
	return c.outOfMemory(false) && c.hitLimit()
}

// hitLimit reports whether the control group of the running container ever reached its
// memory limit. Version 1 of control groups reports the largest usage, which may stay a little below
// the limit because each CPU keeps a reserve. Version 2 reports in Failcnt how often the container
// was out of memory.
func (c *process) hitLimit() bool {
	ctx, cancel := context.WithTimeout(context.Background(), eventTimeout)
	defer cancel()
	r, err := c.engine.api.ContainerStats(ctx, c.id, client.ContainerStatsOptions{})
	if err != nil {
		return false
	}
	defer r.Body.Close()
	var stats container.StatsResponse
	if json.NewDecoder(r.Body).Decode(&stats) != nil {
		return false
	}
	m := stats.MemoryStats
	return m.MaxUsage >= uint64(c.memory-1<<20) || m.MaxUsage == 0 && m.Failcnt > 0
}
