package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/regular"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// TokenEnv is the environment variable with the bearer token for [NewURL]. No
// program that a launcher or the watchdog starts can see it.
const TokenEnv = watchdog.TokenEnv

// CommandOptions configure [NewCommand].
type CommandOptions struct {
	// Line is the command line of an MCP server over stdio. It is split into words like in
	// a POSIX shell, but nothing is expanded.
	Line  string
	Dir   string    // what the line names is found from here; "" is the current folder
	Sites *web.Set  // the fixture web; nil: the live web
	CA    *serve.CA // required with Sites
}

// NewCommand returns a launcher that starts the command once for each session, in an empty
// folder of its own and with the current environment. The variables of package web tell the command where the fixture web
// is. The error says why the command line cannot be run.
func NewCommand(o CommandOptions) (session.Launcher, error) {
	path, args, err := session.FindCommand(o.Line, o.Dir)
	if err != nil {
		return nil, fmt.Errorf("command %q: %w", o.Line, err)
	}
	l := &commandLauncher{CommandOptions: o, path: path, args: args, remove: func() error { return nil }}
	if o.Sites == nil {
		return l, nil
	}
	watchdog.Sweep()
	if l.dir, l.remove, err = watchdog.TempDir(); err != nil {
		return nil, err
	}
	if err := regular.WriteFile(l.dir, filepath.Base(l.caFile()), o.CA.PEM()); err != nil {
		return nil, errors.Join(err, l.remove())
	}
	return l, nil
}

type commandLauncher struct {
	plain
	CommandOptions
	path   string
	args   []string
	dir    string // holds the CA's file
	remove func() error
}

func (l *commandLauncher) caFile() string { return filepath.Join(l.dir, "ca.pem") }

// Launch implements [session.Launcher].
func (l *commandLauncher) Launch(ctx context.Context) (session.Session, error) {
	dir, remove, err := watchdog.TempDir()
	if err != nil {
		return nil, err
	}
	w, err := newWeb(l.Sites, l.CA, false, nil)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	cmd := &exec.Cmd{Path: l.path, Args: l.args, Dir: dir, Env: watchdog.Environ()}
	if l.Sites != nil {
		cmd.Env = append(cmd.Env,
			serve.HTTPEnv+"="+w.server.HTTPAddr(), serve.HTTPSEnv+"="+w.server.HTTPSAddr(),
			serve.CAEnv+"="+l.caFile(), serve.HostsEnv+"="+strings.Join(l.Sites.Hosts(), ","))
	}
	name := filepath.Base(l.path)
	p, err := process.Start(name, cmd, true, nil)
	if err != nil {
		return nil, errors.Join(err, w.Close(), remove())
	}
	stop := func() error { p.Stop(); return nil }
	s := session.NewBase(record.Server{Isolation: "fresh"}, w.log(), remove, w.Close, stop)
	s.Temp = os.TempDir()
	s.Drawing = w.draw()
	if err := s.Connect(ctx, transport.NewIO(session.LimitLines(p.Stdout), p.Stdin, nil), p); err != nil {
		return nil, fmt.Errorf("command %s: %w", name, errors.Join(err, s.Close()))
	}
	return s, nil
}

// Close implements [session.Launcher].
func (l *commandLauncher) Close() error { return l.remove() }
