package episode_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// Wherever an episode is when its browser or its server is killed or stopped, or the run
// is, it ends in time and by the rules, and leaves nothing behind.
func TestKilled(t *testing.T) {
	base := need.ShortTemp(t) // short enough to be taken
	t.Setenv("TMPDIR", base)
	sessions := filepath.Join(base, "openchrome-bench-") // and more letters
	l := toyLauncher(t)
	signal := func(program string, s syscall.Signal) func(*testing.T, func()) {
		return func(t *testing.T, _ func()) { signalTo(t, sessions, program, s) }
	}
	killBrowser, stopBrowser := signal("chromium", syscall.SIGKILL), signal("chromium", syscall.SIGSTOP)
	killServer := signal("node", syscall.SIGKILL)
	interrupt := func(_ *testing.T, cancel func()) { cancel() }
	const (
		// The moments: before the answer to the last call, after it, while the page is
		// judged, and after the verdict.
		inCall, answered, waiting, judged = record.TypeToolCall, record.TypeToolResult, record.Type("waiting"), record.TypeContractEval

		noBrowser = "not OpenChrome's fault: Chromium ended: signal: killed"
		noServer  = "Toy ended: signal: killed"
		open      = `got: "Open"`
	)
	for _, test := range []struct {
		name   string
		act    func(t *testing.T, cancel func())
		at     record.Type
		page   string
		status record.Status
		reason string // part of it
		ended  bool   // the server's end is noted
	}{
		{"the browser in a call", killBrowser, inCall, "saved", record.Inconclusive, noBrowser, false},
		{"the browser after the last answer", killBrowser, answered, "saved", record.Inconclusive, noBrowser, false},
		{"the browser while the page is judged", killBrowser, waiting, "beats", record.Inconclusive, noBrowser, false},
		{"the browser while the page is kept", killBrowser, judged, "open", record.Failed, open, false},
		{"the server in a call", killServer, inCall, "open", record.Inconclusive, noServer, false},
		{"the server in a call, and the page holds", killServer, inCall, "saved", record.Passed, "", false},
		{"the server after the last answer", killServer, answered, "open", record.Inconclusive, noServer, true},
		{"the server after the last answer, and the page holds", killServer, answered, "saved", record.Passed, "", true},
		{"the browser stands still in a call", stopBrowser, inCall, "saved", record.Timeout, "not done within 4s", false},
		{"the browser stands still while the page is judged", stopBrowser, waiting, "beats", record.Failed, "not answer", false},
		{"the browser stands still while the page is kept", stopBrowser, judged, "open", record.Failed, open, false},
		{"the run while the page is judged", interrupt, waiting, "beats", record.Interrupted, "the run was stopped", false},
		{"the run while a browser that stands still is read", func(t *testing.T, cancel func()) {
			stopBrowser(t, nil)
			cancel()
		}, waiting, "beats", record.Interrupted, "the run was stopped", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := launchToy(t, l)
			var log []record.Event
			o := options(t, nil, calls("title"), &log)
			o.Task.Success, _ = judge.Parse([]byte(`{"kind":"dom_text","selector":"h1","contains":"Saved"}`))
			o.Task.StartURL, o.Task.MaxDurationMs = "https://toy.test/"+test.page, 4000
			if test.status == record.Interrupted {
				o.Task.MaxDurationMs = 60000 // so that the cap does not end it
			}
			o.Launcher, o.Session, o.Out, o.Page = "toy", s, t.TempDir(), "page"
			var acted time.Time
			act := func() {
				test.act(t, cancel)
				acted = time.Now()
			}
			waited := make(chan struct{})
			o.Emit = func(e record.Event) error {
				log = append(log, e)
				last := false
				switch b := e.Body.(type) {
				case *record.ToolCall:
					last = b.Step == 1
				case *record.ToolResult:
					last = b.Step == 1
				case *record.ContractEval:
					last = true
				}
				switch {
				case last && test.at == e.Body.Type():
					act()
				case last && test.at == waiting && e.Body.Type() == answered:
					go func() {
						defer close(waited)
						waitBeats(t, s)
						act()
					}()
				}
				return nil
			}
			began := time.Now()
			stop, err := episode.Run(ctx, o)
			need.OK(t, err)
			took := time.Since(began)
			if test.at == waiting {
				<-waited
			}
			if stop.Status != test.status || !strings.Contains(stop.Reason, test.reason) || strings.HasPrefix(stop.ServerEnded, noServer) != test.ended {
				t.Errorf("got %s (%s), server ended: %q; want %s (%s)", stop.Status, stop.Reason, stop.ServerEnded, test.status, test.reason)
			}
			// After the clock: the last ping and the last look at the page, which does not wait
			// for a page that did not answer before.
			after := took - time.Duration(stop.DurationMs*float64(time.Millisecond))
			if stop.DurationMs > float64(o.Task.MaxDurationMs+20000) || after > 30*time.Second {
				t.Errorf("took %v ms with a cap of %d, and then %v", stop.DurationMs, o.Task.MaxDurationMs, after)
			}
			if since := time.Since(acted); test.status == record.Interrupted && since > 30*time.Second {
				t.Errorf("it took %v to stop", since)
			}
			numbered := 0 // a trace has the number of its answer
			for _, e := range log {
				if e.Body.Type() != record.TypeTrace {
					numbered++
				}
			}
			if _, ok := log[len(log)-1].Body.(*record.Stop); !ok || log[len(log)-1].Seq != numbered {
				t.Errorf("the log ends with %+v", log[len(log)-1])
			}
			need.OK(t, s.Close())
			need.Gone(t, sessions+"*")
			// One that was killed takes a moment to end.
			left, closed := processesIn(sessions, ""), time.Now()
			for len(left) > 0 && time.Since(closed) < 10*time.Second {
				left = processesIn(sessions, "")
			}
			if len(left) > 0 {
				t.Errorf("left behind: processes %v", left)
			}
		})
	}
}

// waitBeats waits until a page has sent five more requests.
func waitBeats(t *testing.T, s session.Session) {
	first, tick := -1, time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		log, err := s.Requests(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		if first < 0 {
			first = len(log.Requests)
		}
		if len(log.Requests) >= first+5 {
			return
		}
	}
}

// signalTo sends a signal to the session's program with this name: its first process.
func signalTo(t *testing.T, sessions, program string, s syscall.Signal) {
	pids := processesIn(sessions, program)
	if len(pids) != 1 {
		t.Errorf("%d processes are the session's %s", len(pids), program)
		return
	}
	need.OK(t, syscall.Kill(pids[0], s))
}

// processesIn returns the processes whose arguments or environment name such a folder. With
// a program, it returns only that program's first process.
func processesIn(sessions, program string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		args, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(p, "environ"))
		pid, _ := strconv.Atoi(filepath.Base(p))
		name, _, _ := bytes.Cut(args, []byte{0})
		switch {
		case pid == os.Getpid() || !bytes.Contains(args, []byte(sessions)) && !bytes.Contains(env, []byte(sessions)):
		case program != "" && filepath.Base(string(name)) != program || program != "" && bytes.Contains(args, []byte("--type=")):
		default:
			pids = append(pids, pid)
		}
	}
	return pids
}
