package confine

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// In its own process namespace a program cannot end itself by SIGKILL, whoever of its
// processes sends it, and cannot make the kernel send it. So a SIGKILL that ended it came
// from outside.
func TestNoSuicide(t *testing.T) {
	for _, m := range Candidates() {
		if !m.Namespaces {
			continue
		}
		t.Run(m.String(), func(t *testing.T) {
			run := func(script string) (string, error) {
				cmd := exec.Command("/bin/sh", "-c", script)
				cmd.Dir = "/"
				m.Confine(cmd, Access{})
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			if out, err := run("echo alive"); err != nil {
				need.Missing(t, fmt.Sprintf("%v does not work here: %v: %s", m, err, out))
			}
			for _, script := range []string{
				"kill -9 $$; (kill -9 1); sh -c 'kill -9 1'",
				"ulimit -t 1 && while :; do :; done", // the kernel ends a program that uses more time
			} {
				if out, err := run(script + "; echo alive"); err != nil || !strings.HasSuffix(out, "alive\n") {
					t.Errorf("%s: %s, %v", script, out, err)
				}
			}
		})
	}
}
