package transcript

import "github.com/openchrome/bench/harness/adapter"

// None is the name of the adapter that makes no call.
const None = "none"

// noneKind makes no call and is done at once. A task that it passes proves nothing.
var noneKind = Kind{Name: None, Prepare: func([]Line) (adapter.Factory, error) { return Replay(nil), nil }}
