package harness_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
)

// parity is bench:parity in a folder, with 4 pairs. One of the servers is a program, which never
// answers when it is started for the third time, unless it is calm.
func parity(t *testing.T, out, servers string, calm bool, args ...string) *exec.Cmd {
	t.Helper()
	self := need.Self(t)
	started := 0
	if calm {
		started = 100
	}
	need.Write(t, filepath.Join(out, "started"), make([]byte, started))
	servers = strings.Replace(servers, "PROGRAM", self+" broken hang ./started 3", 1)
	cmd := exec.Command(bench, append([]string{"bench:parity", "-servers=" + servers, "-task=example-h1,local-form-submit", "-repetitions=2", "-gate=regressions==0"}, args...)...)
	cmd.Dir = out
	return cmd
}

// turnsOf are the episodes of both sides that were not interrupted, in the order in which they ended.
func turnsOf(t *testing.T, out string) (order []string) {
	t.Helper()
	for _, side := range []string{"p-1", "p-2"} {
		_, err := eventlog.ReadFile(t.Context(), filepath.Join(out, "events", side+".jsonl"), func(e record.Event) error {
			if stop, ok := e.Body.(*record.Stop); ok && stop.Status != record.Interrupted {
				order = append(order, e.TS.Format("2006-01-02T15:04:05.000000000")+" "+side+" "+e.Episode)
			}
			return nil
		})
		need.OK(t, err)
	}
	slices.Sort(order)
	for i := range order {
		_, order[i], _ = strings.Cut(order[i], " ")
	}
	return order
}

// comparedIn is what report:compare says of both sides: it has no times.
func comparedIn(t *testing.T, out string) string {
	t.Helper()
	need.OK(t, harness.Call(t.Context(), "report:compare", harness.Options{Out: out, Base: "p-1", Head: "p-2", Stdout: io.Discard}))
	raw := need.Read(t, filepath.Join(out, "reports", "compare-p-1-p-2.md"))
	return began.ReplaceAllString(string(raw), "")
}

// began is when a run began and how busy the machine was.
var began = regexp.MustCompile(`[0-9-]+ [0-9:]+ UTC(; load [^|]*)? `)

// times are the columns of the table of servers that differ each time.
var times = regexp.MustCompile(` [0-9.]+s +(-|[0-9]+ MB) `)

// serversIn is the table of servers, without times.
func serversIn(printed []byte) string {
	_, table, _ := strings.Cut(string(printed), "\nSERVER ")
	table, _, _ = strings.Cut(table, "\n\n")
	return times.ReplaceAllString(table, " ")
}

// A stopped bench:parity compares the pairs that are done, and -resume makes it the undisturbed one.
func TestStoppedParity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, servers string
		signal        syscall.Signal
		turns         int
	}{
		{"Ctrl-C between two pairs", "PROGRAM,standin", syscall.SIGINT, 4},
		{"SIGTERM in the middle of a pair", "standin,PROGRAM", syscall.SIGTERM, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			whole, out := t.TempDir(), t.TempDir()
			var undisturbed, printed bytes.Buffer
			calm := parity(t, whole, test.servers, true, "-run=p")
			calm.Stdout, calm.Stderr = &undisturbed, &undisturbed
			need.OK(t, calm.Start())
			cmd := parity(t, out, test.servers, false, "-run=p")
			cmd.Stdout, cmd.Stderr = &printed, &printed
			need.OK(t, cmd.Start())
			need.Until(t, "the program that hangs", func() bool {
				info, err := os.Stat(filepath.Join(out, "started"))
				return err == nil && info.Size() == 3
			})
			need.OK(t, cmd.Process.Signal(test.signal))
			cmd.Wait()
			const first = "NOT FINISHED: 2 of 4 pairs are done; run the same bench:parity command with -resume=p\n"
			if got := cmd.ProcessState.ExitCode(); got != harness.ExitInterrupted || strings.Count(printed.String(), "\n"+first) != 3 || !strings.Contains(printed.String(), " 1 task × 2") {
				t.Errorf("exit code %d, want %d\n%s", got, harness.ExitInterrupted, printed.String())
			}
			for _, want := range []string{"\n1 of 4 pairs done; about ", "  2 of 2 ", "NOT JUDGED: regressions==0: 2 of 4 pairs are done"} {
				need.Has(t, printed.String(), want)
			}
			need.Is(t, "episodes are in the logs", test.turns, len(turnsOf(t, out)))
			for name, want := range map[string]string{"compare-p-1-p-2.md": "NOT FINISHED: ", "compare-p-1-p-2.html": "NOT FINISHED</span>: ", "p-1.md": " Run the same command with -resume=p.\n", "p-2.html": " Run the same command with -resume=p.<"} {
				if raw, err := os.ReadFile(filepath.Join(out, "reports", name)); err != nil || !bytes.Contains(raw, []byte(want)) {
					t.Errorf("%s has no %q (%v)", name, want, err)
				}
			}
			var compared bytes.Buffer
			err := harness.Call(t.Context(), "report:compare", harness.Options{Out: out, Base: "p-1", Head: "p-2", Gate: "regressions==0", Stdout: &compared})
			if harness.ExitCode(err) != harness.ExitInterrupted || !strings.HasPrefix(compared.String(), first+"no difference shown: no outcome changed in 1 task × 2") {
				t.Errorf("report:compare: %v\n%s", err, &compared)
			}

			for args, why := range map[string]string{
				"bench:mock -server=standin -resume=p-1":                       "bench:parity: p with 2 servers, and none with 0",
				"bench:parity -servers=/bin/true,/bin/false -resume=p":         "-server: standin and command",
				"bench:parity -servers=/bin/true,/bin/false,standin -resume=p": "bench:parity: p with 2 servers, and p with 3",
				"bench:parity -servers=/bin/true,/bin/false -run=p":            "or continue it with -resume=p\n",
			} {
				other := exec.Command(bench, append(strings.Fields(args), "-task=example-h1,local-form-submit", "-repetitions=2")...)
				other.Dir = out
				if raw, _ := other.CombinedOutput(); other.ProcessState.ExitCode() != harness.ExitUsage || !strings.Contains(string(raw), why) {
					t.Errorf("%s exits with %d, want %d and %q\n%s", args, other.ProcessState.ExitCode(), harness.ExitUsage, why, raw)
				}
			}

			resumed, err := parity(t, out, test.servers, true, "-resume=p").CombinedOutput()
			if err != nil || bytes.Contains(resumed, []byte("NOT FINISHED")) || !bytes.Contains(resumed, []byte("\n1 of 2 pairs done; about ")) {
				t.Fatalf("%v\n%s", err, resumed)
			}
			if err := calm.Wait(); err != nil {
				t.Fatalf("undisturbed: %v\n%s", err, &undisturbed)
			}
			for _, side := range []string{"p-1", "p-2"} {
				var canonical [2]string
				for i, dir := range []string{whole, out} {
					canonical[i] = string(need.Read(t, filepath.Join(dir, "reports", side+".canonical.json")))
				}
				need.Equal(t, fmt.Sprintf("the canonical report of %s", side), canonical[0], canonical[1])
			}
			need.Equal(t, "turns", turnsOf(t, whole), turnsOf(t, out))
			need.Equal(t, "comparison", comparedIn(t, whole), comparedIn(t, out))
			need.Equal(t, "servers", serversIn(undisturbed.Bytes()), serversIn(resumed))
		})
	}
}
