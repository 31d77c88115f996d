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

// Confinement says how to confine the programs of a session. The zero value does not
// confine them.
type Confinement struct {
	Means   confine.Means
	Access  confine.Access   // without the session's folder
	Network *confine.Network // where the programs start; nil: the machine's
}

// Apply confines cmd to the session in dir.
func (c Confinement) Apply(cmd *exec.Cmd, dir string) {
	c.Access.Write = []string{dir}
	c.Means.Confine(cmd, c.Access)
}

// Try runs a program in a session's folder of its own, and returns what it printed. env returns its
// environment for that folder.
func Try(ctx context.Context, c Confinement, env func(dir string) []string, name, path string, args ...string) (string, error) {
	dir, remove, err := watchdog.TempDir()
	if err != nil {
		return "", err
	}
	defer remove()
	if err := MakeSessionDir(dir); err != nil {
		return "", err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, env(dir)
	c.Apply(cmd, dir)
	p, err := process.Start(name, cmd, false, c.Network)
	if err != nil {
		return "", err
	}
	select {
	case <-p.Ended:
	case <-ctx.Done():
		p.Kill()
		return "", ctx.Err()
	}
	if !cmd.ProcessState.Success() {
		return "", p.End()
	}
	return p.Said(), nil
}

// confined returns the confinement of a session's programs: they can read Node,
// Chromium and the package, and connect to these ports of the network.
func (l *localLauncher) confined(network *confine.Network, ports []uint16) Confinement {
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
	return Confinement{l.means, a, network}
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
	network, err := l.means.NewNetwork()
	if err != nil {
		return err
	}
	defer network.Close()
	if _, err = Try(ctx, l.confined(network, nil), CleanEnv, "Node", l.tools.Node, "--version"); err != nil {
		err = fmt.Errorf("%s --version: %w; reinstall Node.js", l.tools.Node, err)
	}
	return err
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
