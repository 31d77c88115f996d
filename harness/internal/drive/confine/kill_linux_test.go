package confine

import (
	"os/exec"
	"strings"
	"testing"
)

// In its own process namespace a program cannot end itself by SIGKILL, whoever of its
// processes sends it, and cannot make the kernel send it. So a SIGKILL that ended it came
// from outside.
func TestNoSuicide(t *testing.T) {
	for _, way := range []string{
		"kill -9 $$; (kill -9 1); sh -c 'kill -9 1'",
		"ulimit -t 1 && while :; do :; done", // the kernel ends a program that uses more time
	} {
		for _, m := range Candidates() {
			cmd := exec.Command("/bin/sh", "-c", way+"; echo alive")
			cmd.Dir = "/"
			if !m.Namespaces {
				continue
			}
			m.Confine(cmd, Access{})
			out, err := cmd.CombinedOutput()
			if err != nil && strings.Contains(string(out), "confine:") {
				t.Logf("%v does not work here: %s", m, out)
				continue
			}
			if err != nil || !strings.HasSuffix(string(out), "alive\n") {
				t.Errorf("%s: %v: %s, %v", way, m, out, err)
			}
		}
	}
}
