//go:build unix

package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestMain(m *testing.M) {
	watchdog.Main()
	os.Exit(m.Run())
}

// A halted program and its children do nothing until they go on.
func TestHalt(t *testing.T) {
	p, err := Start("Echo", exec.Command("sh", "-c", `sh -c 'while read line; do echo "$line"; done'; true`), true, nil)
	need.OK(t, err)
	defer p.Kill()
	lines := make(chan string, 9)
	go func() {
		for s := bufio.NewScanner(p.Stdout); s.Scan(); {
			lines <- s.Text()
		}
	}()
	fmt.Fprintln(p.Stdin, "one")
	if got := <-lines; got != "one" {
		t.Fatalf("it said %q", got)
	}
	resume := p.Halt()
	fmt.Fprintln(p.Stdin, "two")
	select {
	case got := <-lines:
		t.Errorf("while it was halted it said %q", got)
	case <-time.After(200 * time.Millisecond):
	}
	resume()
	need.Is(t, "then it said", "two", <-lines)
}
