package adapter

import (
	"fmt"

	"github.com/openchrome/bench/harness/event"
)

// Drift is the error of an adapter that met another answer than its transcript
// expects.
type Drift struct{ event.Drift }

func (d *Drift) Error() string {
	return fmt.Sprintf("step %d, %s: expected %s, got %s", d.Step, d.Tool, d.Expected, d.Actual)
}
