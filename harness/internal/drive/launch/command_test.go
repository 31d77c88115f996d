//go:build unix

package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

func newCommand(t *testing.T, kind string) session.Launcher {
	t.Helper()
	set, ca := testWeb(t)
	l, err := NewCommand(CommandOptions{Line: line(kind), Sites: set, CA: ca})
	need.OK(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func TestCommand(t *testing.T) {
	t.Setenv(TokenEnv, "secret")
	l := newCommand(t, "plain")
	s, other := launch(t, l), launch(t, l)

	want := record.Server{Name: "test-server", Version: "1.2.3", Protocol: session.Protocol, Isolation: "fresh"}
	need.Equal(t, "Server", want, s.Identity())
	if !session.Has(s, "echo") || session.Has(s, "no such tool") {
		t.Errorf("Tools = %v", s.Tools())
	}
	need.Is(t, "echo", "ä\n<>&", call(t, s, "echo", "ä\n<>&"))
	if a, b := call(t, s, "pid", ""), call(t, other, "pid", ""); a == b {
		t.Error("two sessions have one process")
	}
	need.Is(t, "a reply of 4 MB", 4<<20, len(call(t, s, "many", "")))
	tooLargeFor(t, s, 33<<20)
	need.Is(t, "the command sees the token", "", call(t, s, "env", TokenEnv))
	need.Is(t, "HOME", os.Getenv("HOME"), call(t, s, "env", "HOME"))

	ca := call(t, s, "env", serve.CAEnv)
	if pem, err := os.ReadFile(ca); err != nil || !strings.HasPrefix(string(pem), "-----BEGIN CERTIFICATE") {
		t.Errorf("CA file %q: %.40q, %v", ca, pem, err)
	}
	if got := call(t, s, "env", serve.HostsEnv); !strings.Contains(got, "example.com") {
		t.Errorf("hosts = %q", got)
	}
	if a, b := call(t, s, "env", serve.HTTPEnv), call(t, other, "env", serve.HTTPEnv); a == "" || a == b {
		t.Errorf("the webs of two sessions are at %q and %q", a, b)
	}
	s.Close()
	l.Close()
	need.Gone(t, ca)
}

// Each server runs in an empty folder of its own, which is removed. What its command line names is
// found from the folder of the user.
func TestCommandFolder(t *testing.T) {
	dir := t.TempDir()
	need.Write(t, filepath.Join(dir, "config.json"), "")
	for word, want := range map[string]string{
		"config.json": filepath.Join(dir, "config.json"), "./config.json": filepath.Join(dir, "config.json"), ".": dir,
		"other.json": "other.json", "config": "config",
	} {
		l, err := NewCommand(CommandOptions{Line: line("plain") + " " + word, Dir: dir})
		need.OK(t, err)
		s, other := launch(t, l), launch(t, l)
		need.Is(t, fmt.Sprintf("the server got %s as", word), want, call(t, s, "argument", ""))
		own := call(t, s, "folder", "")
		if files, err := os.ReadDir(own); err != nil || len(files) > 0 || own == call(t, other, "folder", "") {
			t.Errorf("the server runs in %s with %v, %v; want an empty folder for each", own, files, err)
		}
		s.Close()
		need.Gone(t, own)
	}
}

// The end of a server is known although no call is pending.
func TestServerEnd(t *testing.T) {
	l := newCommand(t, "plain")
	for _, test := range []struct {
		signal syscall.Signal
		outage bool
		want   string
	}{
		{syscall.SIGTERM, false, "ended: signal: terminated"},
		{syscall.SIGKILL, true, "ended: signal: killed"}, // not its own doing
	} {
		s := launch(t, l)
		need.OK(t, facts.ServerEnd(t.Context(), s))
		pid, err := strconv.Atoi(call(t, s, "pid", ""))
		need.OK(t, err)
		need.OK(t, syscall.Kill(pid, test.signal))
		for err == nil && t.Context().Err() == nil { // until its pipe has ended
			err = facts.ServerEnd(t.Context(), s)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || isOutage(err) != test.outage {
			t.Errorf("%v: %v, an outage: %t; want %s", test.signal, err, isOutage(err), test.want)
		}
	}
}

func TestCommandLive(t *testing.T) {
	l, err := NewCommand(CommandOptions{Line: line("plain")})
	need.OK(t, err)
	defer l.Close()
	s := launch(t, l)
	for _, name := range []string{serve.HTTPEnv, serve.HTTPSEnv, serve.CAEnv, serve.HostsEnv} {
		need.Is(t, name, "", call(t, s, "env", name))
	}
	need.Fails(t, need.Err(s.Requests(t.Context())), "")
}

func TestCommandRefused(t *testing.T) {
	tests := []struct{ line, want string }{
		{"", `command "": it has no program`},
		{"no-such-program --x", `command "no-such-program --x": no-such-program: executable file not found in $PATH; name a program on the PATH, or its path`},
		{"./no/such", `command "./no/such": ./no/such: no such file or directory; name a program on the PATH, or its path`},
		{"A=1 sh", `command "A=1 sh": it does not run in a shell; begin it with: env A=…`},
		{"cat | tee", `command "cat | tee": '|' needs a shell, but the command runs without one; quote it, or use a script`},
	}
	for _, tt := range tests {
		l, err := NewCommand(CommandOptions{Line: tt.line})
		if err == nil {
			l.Close()
			t.Errorf("%q was taken", tt.line)
			continue
		}
		need.Equal(t, "error", tt.want, err.Error())
	}
}

func TestCommandDoesNotStart(t *testing.T) {
	tests := []struct {
		kind string
		most time.Duration // one that is silent uses it up
		want string
	}{
		{"broken", time.Minute, "command env: env ended: exit status 7: Error: Cannot find module '/x'"},
		{"silent", 5 * time.Second, "command env: initialize: transport error: context deadline exceeded; its last output: thinking about it"},
		{"mute", time.Second, "command env: initialize: transport error: context deadline exceeded"},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			ctx := need.Within(t, tt.most)
			s, err := newCommand(t, tt.kind).Launch(ctx)
			if err == nil {
				s.Close()
				t.Fatal("it is a session")
			}
			need.Equal(t, "error", tt.want, err.Error())
		})
	}
}

func TestCommandDies(t *testing.T) {
	s := launch(t, newCommand(t, "plain"))
	orphan := call(t, s, "orphan", "")
	const noise = "starting\nTypeError: x is not a function\x1b[31m\n    at file.js:1:1"
	for _, tool := range []string{"die", "echo"} {
		began := time.Now()
		_, err := s.Call(t.Context(), adapter.Call{Tool: tool, Args: args(map[string]any{"text": noise})})
		e, ok := errors.AsType[*session.Error](err)
		if !ok || e.Error() != tool+": env ended: exit status 42: TypeError: x is not a function[31m" {
			t.Errorf("%s: error %v", tool, err)
		}
		if took := time.Since(began); took > 15*time.Second { // the orphan holds stdout open for longer
			t.Errorf("%s: the end was noticed after %v", tool, took)
		}
	}
	if need.Running(t, orphan) {
		t.Error("a child of the server still runs")
	}
}

// What a server starts ends with its session, whatever it does to get away.
func TestCommandDaemon(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a keeper")
	}
	for name, end := range map[string]func(session.Session){
		"it is closed": func(s session.Session) { s.Close() },
		"it dies":      func(s session.Session) { s.Call(t.Context(), adapter.Call{Tool: "die"}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := launch(t, newCommand(t, "plain"))
			daemon := call(t, s, "daemon", "")
			if !need.Running(t, daemon) {
				t.Fatalf("no daemon runs: %s", daemon)
			}
			pid, err := strconv.Atoi(daemon)
			need.OK(t, err)
			t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
			end(s)
			if need.Running(t, daemon) {
				t.Error("the daemon still runs")
			}
		})
	}
}

// A server that SIGKILL ended did not end itself; any other end is its own.
func TestCommandKilled(t *testing.T) {
	for sent, outage := range map[syscall.Signal]bool{syscall.SIGKILL: true, syscall.SIGABRT: false, syscall.SIGTERM: false} {
		s := launch(t, newCommand(t, "plain"))
		pid, err := strconv.Atoi(call(t, s, "pid", ""))
		need.OK(t, err)
		ended := make(chan error, 1)
		go func() {
			_, err := s.Call(t.Context(), adapter.Call{Tool: "hang"})
			ended <- err
		}()
		call(t, s, "hanging", "") // until it does
		syscall.Kill(pid, sent)
		err = <-ended
		_, gone := errors.AsType[*session.Error](err)
		if _, ours := errors.AsType[*session.Outage](err); !gone || ours != outage {
			t.Errorf("%v: error %v, an outage is %v, want %v", sent, err, ours, outage)
		}
	}
}

func TestCommandCancel(t *testing.T) {
	s := launch(t, newCommand(t, "plain"))
	ctx := need.Within(t, 50*time.Millisecond)
	began := time.Now()
	_, err := s.Call(ctx, adapter.Call{Tool: "hang"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if _, ok := errors.AsType[*session.Error](err); ok {
		t.Error("an end of our own making is blamed on the server")
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("the call went on for %v", took)
	}
	need.Is(t, "after that echo", "x", call(t, s, "echo", "x"))
	serverLetGo(t, s)
}

func TestCommandClose(t *testing.T) {
	for _, kind := range []string{"plain", "stubborn"} {
		t.Run(kind, func(t *testing.T) {
			s := launch(t, newCommand(t, kind))
			pid := call(t, s, "pid", "")
			pending := make(chan error, 1)
			go func() {
				_, err := s.Call(context.Background(), adapter.Call{Tool: "hang"})
				pending <- err
			}()
			call(t, s, "hanging", "")
			began := time.Now()
			need.OK(t, s.Close())
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("Close took %v", took)
			}
			if need.Running(t, pid) {
				t.Error("the server still runs")
			}
			need.OK(t, s.Close())
			need.Is(t, "a pending call at Close", "hang: the session is closed", fmt.Sprint(<-pending))
			if _, err := s.Call(t.Context(), adapter.Call{Tool: "echo"}); err == nil || err.Error() != "echo: the session is closed" {
				t.Errorf("a call after Close: %v", err)
			}
			if _, err := s.Requests(t.Context()); err != session.ErrClosed {
				t.Errorf("requests after Close: %v", err)
			}
		})
	}
}

// Nobody knows which folder a command can read.
func TestCommandPutFiles(t *testing.T) {
	l, err := NewCommand(CommandOptions{Line: line("plain")})
	need.OK(t, err)
	_, err = launch(t, l).PutFiles(t.Context(), map[string][]byte{"x": nil})
	need.Fails(t, err, "choose another task, or -server=local or container")
}
