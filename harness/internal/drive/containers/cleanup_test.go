package containers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// victimEnv, in the environment, makes this test binary a run that launches
// and closes sessions until it is killed. It says of what: testServer, or the
// folder of an OpenChrome.
const victimEnv = "OPENCHROME_BENCH_TEST_VICTIM"

func victim() {
	err := func() error {
		set, err := web.Open()
		if err != nil {
			return err
		}
		ca, err := serve.NewCA(set.Hosts()...)
		if err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		o := Options{BuildOptions: BuildOptions{Server: testServer}, Sites: set, CA: ca}
		if what := os.Getenv(victimEnv); what != testServer {
			o.Server, o.Package = "", what
		}
		l, err := New(ctx, o)
		if err != nil {
			return err
		}
		fmt.Println(l.(*launcher).run)
		for {
			s, err := l.Launch(ctx)
			if err != nil {
				return err
			}
			if err := s.Close(); err != nil {
				return err
			}
		}
	}()
	fmt.Fprintln(os.Stderr, "victim:", err)
	os.Exit(1)
}

// kill starts a victim, kills it after the time given and returns its run.
func kill(t *testing.T, what string, after time.Duration, env ...string) (run string, o watchdog.Owner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), victimEnv+"="+what), env...)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	need.OK(t, err)
	need.OK(t, cmd.Start())
	p, _ := watchdog.FindProcess(cmd.Process.Pid)
	o = watchdog.Owner{Pid: p.Pid, Start: p.Start, Machine: watchdog.Machine()}
	_, err = fmt.Fscan(out, &run) // the network is there, sessions follow
	need.OK(t, err)
	<-time.After(after) // the moment is what is tested
	cmd.Process.Kill()
	cmd.Wait()
	return run, o
}

// leftovers names the containers and networks of a run.
func leftovers(t testing.TB, e *engine, run string) (names []string) {
	t.Helper()
	f := make(client.Filters).Add("label", runLabel+"="+run)
	cs, err := e.api.ContainerList(t.Context(), client.ContainerListOptions{All: true, Filters: f})
	need.OK(t, err)
	for _, c := range cs.Items {
		names = append(names, c.Names...)
	}
	ns, err := e.api.NetworkList(t.Context(), client.NetworkListOptions{Filters: f})
	need.OK(t, err)
	for _, n := range ns.Items {
		names = append(names, n.Name)
	}
	return names
}

// gone waits until the run has left nothing, for at most a minute: beside
// other work an engine takes 15 s to remove two containers.
func gone(t testing.TB, e *engine, run string) (took time.Duration) {
	t.Helper()
	began := time.Now()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		left := leftovers(t, e, run)
		took := time.Since(began)
		if len(left) == 0 {
			return took
		}
		if took > time.Minute {
			t.Errorf("after a minute %q are left", left)
			return took
		}
		<-tick.C
	}
}

// A kill -9 at any moment leaves nothing.
func TestKilled(t *testing.T) {
	e := needEngine(t)
	t.Run("server", func(t *testing.T) {
		newLauncher(t, options(t)) // builds the images
		testKilled(t, e, testServer, 4, 1500*time.Millisecond)
	})
	t.Run("OpenChrome", func(t *testing.T) {
		o := realOptions(t)
		newLauncher(t, o)
		testKilled(t, e, o.Package, 2, 4*time.Second)
	})
}

func testKilled(t *testing.T, e *engine, what string, atOnce int, within time.Duration) {
	n := 20
	if testing.Short() {
		n = 4
	}
	var mu sync.Mutex
	var runs []string
	var all sync.WaitGroup
	turn := make(chan struct{}, atOnce)
	for range n {
		all.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			after := rand.N(within)
			run, _ := kill(t, what, after)
			t.Logf("killed after %.1f s, gone after %.1f s", after.Seconds(), gone(t, e, run).Seconds())
			mu.Lock()
			defer mu.Unlock()
			runs = append(runs, run)
		})
	}
	all.Wait()
	// What was being created at the end may have shown up since.
	for _, run := range runs {
		gone(t, e, run)
	}
}

func TestSweepRemovesTheDead(t *testing.T) {
	e := needEngine(t)
	newLauncher(t, options(t))
	run, o := kill(t, testServer, 700*time.Millisecond, unguarded+"=1")
	if left := leftovers(t, e, run); len(left) == 0 {
		t.Fatal("nothing is left after a kill without a watchdog; the test shows nothing")
	}
	if !o.Dead() {
		t.Errorf("owner %v is not dead", o)
	}
	newLauncher(t, options(t))
	if left := leftovers(t, e, run); len(left) > 0 {
		t.Errorf("%q are left after the next start", left)
	}
}

// A run that is stopped while the engine makes its network leaves none.
func TestStoppedEarly(t *testing.T) {
	e := needEngine(t)
	if !strings.HasPrefix(e.Host, "unix://") {
		t.Skipf("not run, since the engine is at %s", e.Host)
	}
	newLauncher(t, options(t)) // builds the images
	asked, ended, made := make(chan string, 1), make(chan struct{}), make(chan int, 1)
	engine := &httputil.ReverseProxy{
		ModifyResponse: func(r *http.Response) error {
			if strings.HasSuffix(r.Request.URL.Path, "/networks/create") {
				made <- r.StatusCode
			}
			return nil
		},
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "docker" },
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", strings.TrimPrefix(e.Host, "unix://"))
		}},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/networks/create") {
			body, _ := io.ReadAll(r.Body)
			var asks struct{ Labels map[string]string }
			json.Unmarshal(body, &asks)
			asked <- asks.Labels[runLabel]
			<-ended                                                               // an engine goes on with what it was asked for
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // not the one that ended with the client
			defer cancel()
			r = r.WithContext(ctx)
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		engine.ServeHTTP(w, r)
	})
	socket := filepath.Join(need.ShortTemp(t), "docker.sock")
	listener, err := net.Listen("unix", socket)
	need.OK(t, err)
	server := &http.Server{Handler: slow}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })

	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimEnv+"="+testServer, "DOCKER_HOST=unix://"+socket)
	cmd.Stderr = t.Output()
	need.OK(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	run := <-asked
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	close(ended)
	t.Cleanup(func() { removeRun(context.Background(), run) })
	select {
	case status := <-made:
		if status != http.StatusCreated {
			t.Fatalf("the engine made no network: status %d", status)
		}
	case <-time.After(50 * time.Second):
		t.Fatal("the engine made no network; the test shows nothing")
	}
	gone(t, e, run)
}

// A compilation that is stopped leaves nothing in the temporary folder.
func TestCompileStopped(t *testing.T) {
	tmp, bin := need.ShortTemp(t), t.TempDir()
	begun := filepath.Join(t.TempDir(), "begun")
	script := "#!/bin/sh\nmkdir ${GOTMPDIR:-$TMPDIR}/go-build1\ntouch " + begun + "\nexec sleep 1000\n"
	need.OK(t, os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("TMPDIR", tmp)
	t.Setenv("HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := compile(ctx, bin, "amd64", "./x", nil)
		done <- err
	}()
	need.Until(t, "the compiler", func() bool { return need.Err(os.Stat(begun)) == nil })
	cancel()
	need.Fails(t, <-done, "")
	need.Gone(t, filepath.Join(tmp, "*"))
}

// Sweep does not take what may be in use, or is not ours.
func TestOthersStay(t *testing.T) {
	e := needEngine(t)
	dead, elsewhere := watchdog.Self(), watchdog.Self()
	dead.Start++ // the number was given again
	elsewhere.Machine = "3f9b0d1c-0000-4000-8000-000000000000.4026531836"
	run := uuid.NewString()
	make := func(name string, labels map[string]string) string {
		name = "openchrome-bench-test-" + name + "-" + run[:8]
		r, err := e.api.NetworkCreate(t.Context(), name, client.NetworkCreateOptions{Driver: "bridge", Internal: true, Labels: labels})
		need.OK(t, err)
		t.Cleanup(func() { e.removeNetwork(context.Background(), r.ID) })
		return "network " + name
	}
	stay := []string{
		make("unlabelled", nil),
		make("half", map[string]string{runLabel: run}),
		make("garbled", map[string]string{runLabel: run, ownerLabel: "x:y:z"}),
		make("alive", map[string]string{runLabel: run, ownerLabel: self()}),
		make("elsewhere", map[string]string{runLabel: run, ownerLabel: label(t, elsewhere)}),
	}
	exists := func(name string) bool {
		_, err := e.api.NetworkInspect(t.Context(), strings.TrimPrefix(name, "network "), client.NetworkInspectOptions{})
		return err == nil
	}
	ended := make("dead", map[string]string{runLabel: run, ownerLabel: label(t, dead)})
	swept, err := e.sweep(t.Context())
	need.OK(t, err)
	if exists(ended) {
		t.Errorf("sweep left %s; it removed %q", ended, swept)
	}
	for _, name := range stay {
		if !exists(name) {
			t.Errorf("%s was removed", name)
		}
	}
}

func label(t *testing.T, o watchdog.Owner) string {
	t.Helper()
	raw, err := json.Marshal(o)
	need.OK(t, err)
	return string(raw)
}
