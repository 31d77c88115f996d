package containers

import (
	"context"
	"fmt"
	"time"

	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/openchrome"
)

// deathTimeout bounds the wait for a container to end after its stream has ended.
const deathTimeout = 2 * time.Second

// Explain implements [openchrome.Process].
func (c *process) Explain(err error) error {
	text, ours := c.fate()
	return explain(err, text, c.LastLine(), ours)
}

// explain adds to err how a program ended and its last line. It makes an
// [*openchrome.Outage] if the cause is ours: it lies outside of the program.
func explain(err error, text, last string, ours bool) error {
	if last != "" {
		text += ": " + last
	}
	err = fmt.Errorf("%w: %s", err, text)
	if ours {
		err = &openchrome.Outage{Err: err}
	}
	return err
}

// fate describes how the process ended. ours reports whether the cause lies outside
// of it: in the engine, in the connection with it, or in a SIGKILL, which
// OpenChrome does not send to itself. Most often that is our own memory limit.
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
	case c.status == killed && c.outOfMemory(""):
		return fmt.Sprintf("its container was killed: it needed more memory than our limit of %d MiB (OOMKilled)", c.memory>>20), true
	case c.status == killed:
		return "its container was killed from outside: exit status 137", true
	case c.status == 0 && c.isBroken():
		// It exits with 0 at the end of its input, and we did not close that.
		return fmt.Sprintf("the engine's connection to its container was lost: %v", c.broken), true
	}
	return fmt.Sprintf("its container ended: exit status %d", c.status), false
}

// killed is the exit code of a process that SIGKILL ended.
const killed = 128 + 9

// present is the time as outOfMemory takes it.
func present() string {
	now := time.Now()
	return fmt.Sprintf("%d.%09d", now.Unix(), now.Nanosecond())
}

// eventTimeout bounds the request for a container's past events.
const eventTimeout = time.Second

// outOfMemory reports whether the container hit its memory limit. It reads the events,
// because a container's state is removed with it; the events stay for a while. For a
// container that still runs, until is the present time, so that the engine does not wait
// for later events. It is "" for a container that is gone.
func (c *process) outOfMemory(until string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), eventTimeout)
	defer cancel()
	filters := make(client.Filters).Add("container", c.id).Add("event", string(events.ActionOOM), string(events.ActionDestroy))
	past := c.engine.api.Events(ctx, client.EventsListOptions{Since: "1", Until: until, Filters: filters})
	select {
	case e := <-past.Messages: // an oom comes before the destroy
		return e.Action == events.ActionOOM
	case <-past.Err:
		return false
	}
}
