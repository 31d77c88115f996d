package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// dns is the TCP port of DNS, for answers that do not fit into a datagram.
const dns = 53

// minLandlock is the first version that enforces a list of ports.
const minLandlock = 4

// choose fills in what the agent can use, and the first means under which a program runs here.
func (a *Agent) choose(ctx context.Context, o Options, ports []uint16) (err error) {
	self, _ := os.Executable() // this program contains the built-in tasks
	home, _ := os.UserHomeDir()
	a.access = confine.Access{
		Connect: ports, Interfaces: true, // programs look which addresses the machine has
		Hide: append([]string{os.TempDir(), home, self}, o.Hide...),
	}
	if len(ports) > 0 {
		a.access.Connect, a.access.Datagrams = append(ports, dns), true
	}
	for _, program := range []string{a.command[0], interpreter(a.command[0])} {
		if program != "" {
			a.access.Read = append(a.access.Read, programFolders(program)...)
		}
	}
	for _, word := range a.command[1:] {
		if a.preset != nil {
			break // its words name no files of the user
		}
		if path := session.NamedFile(word, ""); path != "" {
			a.access.Read = append(a.access.Read, path)
		}
	}
	a.access.Read = append(a.access.Read, list(o.Read)...)
	for _, a.means = range confine.Candidates() {
		if err = a.works(ctx); err == nil {
			return nil
		}
	}
	return fmt.Errorf("-adapter: no program runs here: %w", err)
}

// programFolders returns what a program needs to run: itself and its folder, and what Node finds
// from there. The folder does not count if the current folder is below it, which may hold tasks
// and results.
func programFolders(program string) []string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return []string{program}
	}
	dir := filepath.Dir(real)
	here, err := os.Getwd()
	if here, err2 := filepath.EvalSymlinks(here); err != nil || err2 != nil || confine.Within(here, dir) {
		return []string{program, real}
	}
	if strings.Contains(dir, "node_modules") {
		return append(launch.PackageFolders(dir), program)
	}
	return []string{program, dir}
}

// network makes the network of an episode, with its way out to the ports; nil is the machine's. The
// caller must close it, also after an error.
func (a *Agent) network() (*confine.Network, error) {
	n, err := a.means.NewNetwork()
	if err == nil && len(a.access.Connect) > 0 {
		err = n.Forward(a.access.Connect)
	}
	return n, err
}

// works tries the means on a program that does nothing.
func (a *Agent) works(ctx context.Context) error {
	if a.means == (confine.Means{}) {
		return nil
	}
	path, err := exec.LookPath("true")
	if err == nil {
		_, err = a.try(ctx, path)
	}
	return err
}

// versionTimeout bounds how long a program may take to say its version.
const versionTimeout = 20 * time.Second

var versionText = regexp.MustCompile(`\d+\.\d+[\w.+-]*`)

// askVersion asks the program for its version; empty if it does not say one.
func (a *Agent) askVersion(ctx context.Context) string {
	limited, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	said, err := a.try(limited, a.command[0], "--version")
	if err != nil {
		return ""
	}
	return display.Cut(versionText.FindString(said), maxLine)
}

// try runs a program, confined as the agent, and returns what it printed.
func (a *Agent) try(ctx context.Context, path string, args ...string) (string, error) {
	network, err := a.network()
	if err != nil {
		return "", errors.Join(err, network.Close())
	}
	defer network.Close()
	return launch.Try(ctx, a.confined(0, network), launch.CleanEnv, filepath.Base(path), path, args...)
}

// confined confines the agent to its folder and to the endpoint on a port.
func (a *Agent) confined(port uint16, network *confine.Network) launch.Confinement {
	access := a.access
	access.Connect = append([]uint16{port}, access.Connect...)
	return launch.Confinement{Means: a.means, Access: access, Network: network}
}

// confinement says what confines the agent, for the reader of a report.
func (a *Agent) confinement() string {
	words := a.means.String()
	switch ports := a.access.Connect; {
	case a.means == (confine.Means{}):
		return words
	case !a.means.Network && (a.means.Landlock < minLandlock || !a.means.Seccomp):
		return words + "; it could connect to every address, and listen on every port"
	case len(ports) > 0:
		text := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ports[:len(ports)-1])), ", "), "[]")
		words += "; it could connect to its endpoint and to the ports " + text + " of every "
		if a.means.Network {
			return words + "IPv4 address, and use DNS"
		}
		return words + "address, send datagrams to every address, and listen on every port"
	case a.means.Network:
		return words + "; it could connect only to its endpoint"
	}
	return words + "; it could connect only to its endpoint, and listen on every port"
}
