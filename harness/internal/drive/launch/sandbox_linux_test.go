package launch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// An ordinary user, and no user namespace for a sandbox: the user namespace of a user 1000 in
// one that allows no more.
const noNamespaces = `echo 1 >/proc/sys/user/max_user_namespaces && exec unshare -U --map-user=1000 --map-group=1000 "$@"`

// Chromium starts with the launcher. If it has no usable sandbox, the error names the way out,
// which works.
func TestNoUsableSandbox(t *testing.T) {
	needChromium(t)
	need.Program(t, "node")
	unshare := need.Program(t, "unshare")
	if out, err := exec.Command(unshare, "-Ur", "sh", "-c", noNamespaces, "sh", "true").CombinedOutput(); err != nil {
		need.Missing(t, fmt.Sprintf("needs user namespaces: %v: %s", err, out))
	}
	for env, want := range map[string]string{
		"":  "local: chromium starts only without its sandbox; allow this user to make user namespaces, or set OPENCHROME_BENCH_NO_SANDBOX=1\n",
		"1": "works\n",
	} {
		cmd := exec.Command(unshare, "-Ur", "sh", "-c", noNamespaces, "sh", os.Args[0])
		cmd.Env = append(os.Environ(), serverEnv+"=toy", noSandboxEnv+"="+env)
		out, err := cmd.Output()
		if string(out) != want {
			t.Errorf("with %s=%s: %q, %v, want %q", noSandboxEnv, env, out, err, want)
		}
	}
}

func init() { servers["toy"] = startToy }

// startToy prints why a launcher does not start, or "works".
func startToy() {
	if err := tryToy(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("works")
}

func tryToy() error {
	set, err := web.Open()
	if err != nil {
		return err
	}
	ca, err := serve.NewCA(set.Hosts()...)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(filepath.Join("testdata", "toy"))
	if err != nil {
		return err
	}
	toy, err := server.Open(filepath.Join(dir, "description.json"))
	if err != nil {
		return err
	}
	l, err := NewLocal(context.Background(), LocalOptions{Server: toy, Package: dir, Sites: set, CA: ca})
	if err != nil {
		return err
	}
	return l.Close()
}
