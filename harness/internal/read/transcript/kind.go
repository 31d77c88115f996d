package transcript

import (
	"errors"
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Kind is an adapter that -adapter= can name.
type Kind struct {
	Name    string
	Replays bool           // it replays the transcripts of tasks
	Agent   *adapter.About // nil: it is no agent of another module
	Intents bool           // it carries out the intents of tasks; Prepare is nil, since the run prepares the policies

	// Prepare prepares the episodes of one task, before anything is launched. lines are the
	// calls of the task's transcript; nil if the adapter replays none. An error, such as a
	// missing credential, ends the command with exit code 64.
	Prepare func(lines []Line) (adapter.Factory, error)
}

// None is the name of the adapter that makes no call and is done at once. A task that it passes
// proves nothing.
const None = "none"

var noneKind = Kind{Name: None, Prepare: func([]Line) (adapter.Factory, error) { return Replay(nil), nil }}

// kinds returns all adapters of the program: ours, and the registered ones.
func kinds() []Kind {
	all := []Kind{mockKind, noneKind}
	for _, k := range adapter.Registered() {
		all = append(all, Kind{Name: k.Name, Agent: k.Agent, Prepare: func([]Line) (adapter.Factory, error) { return k.Prepare() }})
	}
	return all
}

// policies begins the names of adapters that carry out intents, as in policy:form.
const policies = "policy:"

// Find returns the adapter of that name; the error lists the names.
func Find(name string) (Kind, error) {
	if strings.HasPrefix(name, policies) {
		return Kind{Name: name, Intents: true}, nil
	}
	var names []string
	for _, k := range kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("-adapter: is %s, want %s%s",
		display.Quote(name), strings.Join(append(names, policies+"NAMES"), ", "), display.DidYouMean(name, names))
}

func (k Kind) prepare(lines []Line) (adapter.Factory, error) {
	factory, err := k.Prepare(lines)
	switch {
	case err != nil:
		return nil, fmt.Errorf("adapter %s: %w", k.Name, err)
	case factory == nil:
		return nil, errors.New("adapter " + k.Name + ": Prepare returned no factory")
	}
	return factory, nil
}
