package confine

import (
	"os/exec"
	"strings"
	"testing"
)

// In its own process namespace a program cannot end itself by SIGKILL, whoever of its
// processes sends it. So a SIGKILL that ended it came from outside.
func TestNoSuicide(t *testing.T) {
	for _, m := range Candidates() {
		cmd := exec.Command("/bin/sh", "-c", "kill -9 $$; (kill -9 1); sh -c 'kill -9 1'; echo alive")
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
			t.Errorf("%v: %s, %v", m, out, err)
		}
	}
}
