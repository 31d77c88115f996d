package harness_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
)

// killsEnv says how many times TestKill kills a run, as points or as points x seeds.
const killsEnv = "OPENCHROME_BENCH_KILLS"

// A run that is killed at any point, and resumed until it ends, gives the canonical report
// of a run that nobody killed. No complete line of its log is lost, no episode counts twice.
//
// Each seed draws its points over the length of a run's log, and some kills hit the resumed
// run too. A kill almost never tears a line, so some logs are cut within their last line.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 20 s")
	}
	points, seeds := 6, 1
	if v := os.Getenv(killsEnv); v != "" {
		p, s, _ := strings.Cut(v, "x")
		var err error
		if points, err = strconv.Atoi(p); err != nil {
			t.Fatalf("%s is %q, want points or points x seeds, such as 60x20", killsEnv, v)
		}
		if n, err := strconv.Atoi(s); err == nil {
			seeds = n
		}
	}
	whole := killed{t: t, out: t.TempDir()}
	if out, err := whole.command().CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, size := whole.canonical(), whole.size()
	var sum tally
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 13))
		for range points {
			k := killed{t: t, out: t.TempDir(), rand: r, whole: size, count: 12}
			k.run(&sum)
			if diff := cmp.Diff(want, k.canonical()); diff != "" {
				t.Fatalf("seed %d: the canonical report of the resumed run (-want +got):\n%s", seed, diff)
			}
			os.RemoveAll(k.out)
		}
	}
	t.Logf("%d points × %d seeds, %s: same bytes", points, seeds, sum)
}

// However a plan is split, and in whatever order the shards are joined, the canonical report
// is the one of the run that was not split, even if shards were killed.
func TestShardsThatWereKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 10 s")
	}
	counts := []int{3}
	if os.Getenv(killsEnv) != "" {
		counts = []int{1, 2, 3, 7, 16}
	}
	whole := killed{t: t, out: t.TempDir()}
	if out, err := whole.command().CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := rand.New(rand.NewPCG(0, 13))
	for _, n := range counts {
		var outs []string
		var sum tally
		for i := range n {
			share := (12 + n - 1 - i) / n
			k := killed{t: t, out: t.TempDir(), rand: r, whole: whole.size() / int64(n), args: []string{fmt.Sprintf("-shard=%d/%d", i+1, n)}, count: share}
			outs = append(outs, k.out)
			if r.IntN(2) == 0 && share > 0 {
				k.run(&sum)
			} else if out, err := k.command().CombinedOutput(); err != nil {
				t.Fatalf("shard %d of %d: %v\n%s", i+1, n, err, out)
			}
		}
		r.Shuffle(len(outs), func(i, j int) { outs[i], outs[j] = outs[j], outs[i] })
		joined := killed{t: t, out: t.TempDir()}
		err := harness.Call(t.Context(), "report:merge", harness.Options{Join: strings.Join(outs, ","), RunID: "r", Out: joined.out, Stdout: io.Discard})
		if err != nil {
			t.Fatalf("%d shards: %v", n, err)
		}
		if diff := cmp.Diff(whole.canonical(), joined.canonical()); diff != "" {
			t.Errorf("%d shards: the canonical report (-not split +joined):\n%s", n, diff)
		}
		t.Logf("%d shards, %s: same bytes", n, sum)
	}
}

// tally counts what the kills met.
type tally struct{ kills, noPlan, early, between, late, torn int }

func (s tally) String() string {
	return fmt.Sprintf("%d kills (%d before the plan, %d in the middle of an episode, %d between episodes, %d after the end; %d torn lines)", s.kills, s.noPlan, s.early, s.between, s.late, s.torn)
}

// killed is a run that is killed.
type killed struct {
	t     *testing.T
	out   string
	rand  *rand.Rand
	whole int64 // size of the log of a whole run
	args  []string
	count int // episodes of the run
}

func (k *killed) log() string { return filepath.Join(k.out, "events", "r.jsonl") }

func (k *killed) canonical() string {
	k.t.Helper()
	raw := need.Read(k.t, filepath.Join(k.out, "reports", "r.canonical.json"))
	return string(raw)
}

// size is the size of the log; 0 if there is none.
func (k *killed) size() int64 {
	info, err := os.Stat(k.log())
	if err != nil {
		return 0
	}
	return info.Size()
}

func (k *killed) command(more ...string) *exec.Cmd {
	return exec.Command(bench, append([]string{"bench:mock", "-server=standin", "-task=example-h1,local-form-submit,local-recovery-stall",
		"-repetitions=4", "-out=" + k.out, "-resume=r"}, slices.Concat(k.args, more)...)...)
}

// run kills the run one to three times, and then lets it end.
func (k *killed) run(sum *tally) {
	k.t.Helper()
	parallel := fmt.Sprint("-parallel=", 1+k.rand.IntN(4))
	for range 1 + k.rand.IntN(3) {
		k.kill(k.command(parallel))
		sum.kills++
		k.tear(sum)
	}
	before, _ := os.ReadFile(k.log()) // it may not exist
	out, err := k.command(parallel).CombinedOutput()
	if err != nil {
		k.t.Fatalf("resume: %v\n%s", err, out)
	}
	after := need.Read(k.t, k.log())
	if kept := before[:bytes.LastIndexByte(before, '\n')+1]; !bytes.HasPrefix(after, kept) {
		k.t.Fatalf("lines of the log were lost:\n%s", kept)
	}
	if left, _ := filepath.Glob(filepath.Join(k.out, "reports", ".r.*")); left != nil {
		k.t.Fatalf("left behind: %s", left)
	}
	k.once()
}

// kill starts a run and kills it at a drawn point: when its log has a drawn size, or after
// that at a drawn time. The run may end before that.
func (k *killed) kill(cmd *exec.Cmd) {
	k.t.Helper()
	need.OK(k.t, cmd.Start())
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	size := int64(k.rand.Float64() * 1.05 * float64(k.whole))
	after := time.Duration(k.rand.IntN(20)) * time.Millisecond // a report takes some 10 ms
	switch {
	case k.rand.IntN(10) == 0: // while it starts
		size, after = 0, after*20
	case size < k.whole:
		after /= 20
	}
	tick := time.NewTicker(100 * time.Microsecond)
	defer tick.Stop()
	for k.size() < min(size, k.whole) {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
	}
	select {
	case <-ended:
	case <-time.After(after):
		cmd.Process.Kill()
		<-ended
	}
}

// tear counts what the kill met, and cuts a third of the logs within their last line.
func (k *killed) tear(sum *tally) {
	raw, err := os.ReadFile(k.log())
	if err != nil || len(raw) == 0 {
		sum.noPlan++
		return
	}
	line := 1 + bytes.LastIndexByte(raw[:len(raw)-1], '\n')
	var e record.Event
	if raw[len(raw)-1] == '\n' {
		if err := e.UnmarshalJSON(raw[line:]); err != nil {
			k.t.Fatalf("the last complete line: %v", err)
		}
		switch e.Body.(type) {
		case *record.RunEnd:
			sum.late++
			return // an acknowledged end
		case *record.Stop, *record.RunStart, *record.RunResume:
			sum.between++
		default:
			sum.early++
		}
	}
	if k.rand.IntN(3) > 0 {
		return
	}
	sum.torn++
	need.OK(k.t, os.Truncate(k.log(), int64(line+k.rand.IntN(len(raw)-line))))
}

// once checks that each episode has one stop, and that nothing follows it.
func (k *killed) once() {
	k.t.Helper()
	stops := map[string]bool{}
	torn, err := eventlog.ReadFile(context.Background(), k.log(), func(e record.Event) error {
		if e.Episode != "" && stops[e.Episode] {
			return fmt.Errorf("%s of %s after its stop", e.Body.Type(), e.Episode)
		}
		if e.Body.Type() == record.TypeStop {
			stops[e.Episode] = true
		}
		return nil
	})
	if err != nil || torn > 0 || len(stops) != k.count {
		k.t.Fatalf("%d episodes are done, want %d; torn %d, %v", len(stops), k.count, torn, err)
	}
}
