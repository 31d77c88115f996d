package watchdog

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"sync"
	"time"
)

// Only init functions write handlers.
var handlers = map[string]func(arg string){
	kindGroup: func(arg string) { killGroup(arg) },
	kindDir:   func(arg string) { removeDir(arg) },
}

// Handle sets the handler of a kind. Call it in the init of a package, so that the handler
// is set in the watchdog process too when [Main] runs. A handler may be called for things
// that are gone or incomplete. Nobody sees its errors, so a handler that can fail must
// retry. Handle panics if the kind already has a handler.
func Handle(kind string, f func(arg string)) {
	if handlers[kind] != nil {
		panic("watchdog: kind " + kind + " is handled twice")
	}
	handlers[kind] = f
}

// finishTimeout bounds how long the watchdog runs after its process has ended.
const finishTimeout = time.Minute

// deafen catches signals and ignores them: a Ctrl-C or a hang-up is meant for the guarded
// process, and we wait for that process to end. It does not use [signal.Ignore], because
// programs that a handler starts would inherit that.
func deafen() { signal.Notify(make(chan os.Signal, 1), deadlySignals...) }

func serve(r io.Reader) {
	deafen()
	held := make(map[int]message)
	for lines := json.NewDecoder(r); ; {
		var m message
		if lines.Decode(&m) != nil { // the end of input, or an incomplete line
			break
		}
		if m.Remove {
			delete(held, m.ID)
		} else {
			held[m.ID] = m
		}
	}
	time.AfterFunc(finishTimeout, func() { os.Exit(1) })
	finish(held)
}

// finish runs the handlers. Kinds run in parallel, so that a slow kind does not delay the
// others. Only folders wait, until the processes that write into them have ended.
func finish(held map[int]message) {
	args := make(map[string][]string)
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(held))) {
		args[held[id].Kind] = append(args[held[id].Kind], held[id].Arg)
	}
	var wg sync.WaitGroup
	for kind := range args {
		if kind != kindGroup && kind != kindDir {
			wg.Go(func() { handle(kind, args[kind]) })
		}
	}
	handle(kindGroup, args[kindGroup])
	handle(kindDir, args[kindDir])
	wg.Wait()
}

func handle(kind string, args []string) {
	for _, arg := range args {
		if f := handlers[kind]; f != nil {
			f(arg)
		}
	}
}
