package observer

import (
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/record"
)

// A tab's notes are small, even if each of the page's messages is large.
func TestNotesAreSmall(t *testing.T) {
	heap := func() int { // the least of several readings, because other goroutines use memory for a moment
		least := math.MaxInt
		for range 3 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			least = min(least, int(m.HeapAlloc))
		}
		return least
	}
	var notes tab
	before := heap()
	for i := range 100 {
		large := strings.Repeat("é", 1<<19) + strconv.Itoa(i)
		notes.console.add(consoleKey{Type: "error", Message: strconv.Itoa(i) + large})
		notes.failed = appendLast(notes.failed, large)
		notes.dialogs = append(notes.dialogs, record.Dialog{Message: cut(large, maxText)})
	}
	if after := heap(); after > before+(8<<20) {
		t.Errorf("100 messages of 1 MiB left %d MiB of notes", (after-before)>>20)
	}
	runtime.KeepAlive(&notes)
}
