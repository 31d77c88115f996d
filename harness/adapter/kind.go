package adapter

import "slices"

// Kind is an adapter that -adapter= can name.
type Kind struct {
	Name string
	// Prepare prepares the episodes of a run, before anything is launched. An error, such as
	// a missing credential, ends the command with exit code 64.
	Prepare func() (Factory, error)
	// Agent is not nil if the adapters are [Program]s that call a model. Their runs are then those
	// of an agent: their caps, reports and comparisons. The harness does not confine them.
	Agent *About
}

// About says what an agent is. Empty texts are unknown.
type About struct{ Version, Model string }

// Factory makes the adapter of one episode. Episodes may call it at the same
// time. An error or a panic ends the episode as adapter_error.
type Factory func() (Adapter, error)

// builtIn are the names of the adapters of this module: mock replays transcripts, and none
// makes no call.
var builtIn = []string{"mock", "none"}

var registered []Kind

// Register adds an adapter to the program. A separate program calls it before
// harness.Main; an adapter that calls a language model does not belong in this
// module. It panics if the name is empty or taken, or Prepare is missing.
func Register(k Kind) {
	if k.Name == "" || k.Prepare == nil {
		panic("adapter: Register needs a name and Prepare")
	}
	if slices.Contains(builtIn, k.Name) || slices.ContainsFunc(registered, func(other Kind) bool { return other.Name == k.Name }) {
		panic("adapter: " + k.Name + " is registered twice")
	}
	registered = append(registered, k)
}

// Registered returns the adapters that the program has registered, in that order.
func Registered() []Kind { return slices.Clone(registered) }
