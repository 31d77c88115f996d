package containers

import (
	"encoding/json"
	"runtime"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// The labels of everything that this package makes. Images have the last two labels: their
// kind, and the identity of their package. Containers and networks have the other labels.
const (
	runLabel     = "openchrome-bench.run"
	ownerLabel   = "openchrome-bench.owner"
	sessionLabel = "openchrome-bench.session"
	imageLabel   = "openchrome-bench.image"
	packageLabel = "openchrome-bench.package"
)

// self is the label of this process, which owns what it makes. The machine is part of it because
// several machines may share an engine. Only on Linux does each have another name, so elsewhere nobody
// can tell whether an owner is dead.
func self() string {
	me := watchdog.Self()
	if runtime.GOOS != "linux" {
		me.Machine = ""
	}
	label, _ := json.Marshal(me) // encoding strings and numbers cannot fail
	return string(label)
}
