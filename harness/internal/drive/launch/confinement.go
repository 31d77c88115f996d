package launch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// confinement says how to confine the programs of a session. The zero value does not
// confine them.
type confinement struct {
	means  confine.Means
	access confine.Access // without the session's folder
	// network is where the programs start. Nil is the machine's network, or for a program
	// that starts without [process.Start] an empty one.
	network *confine.Network
}

// apply confines cmd to the session in dir.
func (c confinement) apply(cmd *exec.Cmd, dir string) {
	a := c.access
	a.Write = []string{dir}
	c.means.Confine(cmd, a)
}

// confined returns the confinement of a session's programs: they can read Node,
// Chromium and the package, and connect to these ports of the network.
func (l *localLauncher) confined(network *confine.Network, ports []uint16) confinement {
	self, _ := os.Executable() // this program contains the built-in tasks
	home, _ := os.UserHomeDir()
	a := confine.Access{Connect: ports, Hide: append([]string{os.TempDir(), home, self}, l.Hide...)}
	for _, program := range []string{l.tools.Node, l.tools.Chromium} {
		a.Read = append(a.Read, program)
		if real, err := filepath.EvalSymlinks(program); err == nil {
			a.Read = append(a.Read, filepath.Dir(real))
		}
	}
	a.Read = append(a.Read, PackageFolders(l.tools.Package)...)
	return confinement{l.means, a, network}
}

// PackageFolders returns the package's folder and the folders where Node looks for its
// dependencies, which may be its siblings or further up.
func PackageFolders(dir string) []string {
	folders := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for ; ; dir = filepath.Dir(dir) {
		modules := filepath.Join(dir, "node_modules")
		if filepath.Base(dir) == "node_modules" {
			modules = dir
		}
		if real, err := filepath.EvalSymlinks(modules); err == nil {
			folders = append(folders, modules, real)
		}
		if dir == filepath.Dir(dir) {
			return folders
		}
	}
}

// choose returns the first candidate under which Node runs. It does not test OpenChrome,
// because a fault of OpenChrome must not lead to a weaker confinement.
//
// On the live web Chromium needs the machine's network.
func (l *localLauncher) choose(ctx context.Context, candidates []confine.Means) (err error) {
	for _, l.means = range candidates {
		l.means.Network = l.means.Network && l.Sites != nil && !l.LiveWeb
		if l.means != (confine.Means{}) && sandboxNeedsPrivilege() {
			continue
		}
		if err = l.runNode(ctx); err == nil {
			return nil
		}
	}
	return err
}

// runNode starts Node, confined by the means. The error says why it does not run.
func (l *localLauncher) runNode(ctx context.Context) error {
	dir, remove, err := watchdog.TempDir()
	if err != nil {
		return err
	}
	defer remove()
	network, err := l.means.NewNetwork()
	if err != nil {
		return err
	}
	defer network.Close()
	cmd := exec.Command(l.tools.Node, "--version")
	cmd.Dir, cmd.Env = dir, CleanEnv(dir)
	l.confined(network, nil).apply(cmd, dir)
	node, err := process.Start("Node", cmd, false, network)
	if err != nil {
		return err
	}
	select {
	case <-node.Ended:
	case <-ctx.Done():
		node.Kill()
		return ctx.Err()
	}
	if !cmd.ProcessState.Success() {
		return fmt.Errorf("%s --version: %w; reinstall Node.js", l.tools.Node, node.End())
	}
	return nil
}

// sandboxNeedsPrivilege reports whether Chromium needs privileges for its sandbox, because
// the kernel allows user namespaces only to root.
// Chromium's sandbox then needs a setuid-root program, but a confined program cannot gain
// privileges.
func sandboxNeedsPrivilege() bool {
	if whyNoSandbox() != "" {
		return false
	}
	for _, file := range []string{"/proc/sys/kernel/unprivileged_userns_clone", "/proc/sys/user/max_user_namespaces"} {
		if value, err := os.ReadFile(file); err == nil && string(value) == "0\n" {
			return true
		}
	}
	return false
}
