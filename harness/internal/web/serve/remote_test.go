package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/web"
)

// duplex makes one io.ReadWriteCloser of a process's stdout and stdin.
type duplex struct {
	io.Reader
	io.WriteCloser
}

// far starts AsRemote and returns the near end and what it will return.
func far(t *testing.T) (*Remote, <-chan error) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := AsRemote(inR, outW)
		outW.Close()
		inR.Close()
		done <- err
	}()
	t.Cleanup(func() { inW.Close() })
	return NewRemote(duplex{outR, inW}), done
}

func remoteConfig(t *testing.T, s *web.Set, ca *CA) RemoteConfig {
	t.Helper()
	key, err := ca.Marshal()
	need.OK(t, err)
	return RemoteConfig{CA: string(key), Sites: s.Pack(), HTTP: "127.0.0.1:0", HTTPS: "127.0.0.1:0"}
}

// mine is the host that useRemote asks.
var mine = map[string]string{
	"mine.test/page.html":   "mine",
	"mine.test/routes.json": `[{"method": "POST", "path": "/sent", "set": {"sent": "1"}, "location": "/page"}, {"path": "/end", "receipt": true, "when": {"state": {"sent": "1"}}, "file": "page.html"}]`,
}

// useRemote is what a launcher does with a Remote.
func useRemote(t *testing.T, r *Remote, cfg RemoteConfig, ca *CA) {
	t.Helper()
	need.OK(t, r.Start(t.Context(), cfg))
	for _, a := range []string{r.HTTP, r.HTTPS} {
		if _, _, err := net.SplitHostPort(a); err != nil {
			t.Errorf("address %q: %v", a, err)
		}
	}
	if log, err := r.Log(t.Context()); len(log.Requests) != 0 || log.Full || !log.Active.IsZero() || err != nil {
		t.Errorf("log before any request: %v, %v", log, err)
	}
	before := time.Now()
	c := client(t, ca, &Server{http: fakeListener(r.HTTP), https: fakeListener(r.HTTPS)})
	for _, url := range []string{"https://example.com/", "http://mine.test/page"} {
		if status, _, err := get(t, c, url); status != 200 || err != nil {
			t.Errorf("%s = %d, %v", url, status, err)
		}
	}
	got, err := r.Log(t.Context())
	need.OK(t, err)
	want := []web.Request{
		{Method: "GET", URL: "https://example.com/", Host: "example.com", Path: "/", Status: 200},
		{Method: "GET", URL: "http://mine.test/page", Host: "mine.test", Path: "/page", Status: 200},
	}
	need.Equal(t, "Log", want, got.Requests, cmpopts.IgnoreFields(web.Request{}, "Came", "Time", "Sent"))
	if why, err := r.Why(t.Context()); err != nil || len(why.Missed) != 1 || why.Missed[0].Wanted != "POST /sent" || why.Missed[0].At != (time.Time{}) {
		t.Errorf("why: %+v, %v", why.Missed, err)
	}
	for _, r := range got.Requests {
		if r.Time.Before(before) || r.Time.After(time.Now()) {
			t.Errorf("%s at %v, want a time since %v", r.URL, r.Time, before)
		}
	}
}

// fakeListener is an address that somebody else listens on.
type fakeListener string

func (a fakeListener) Addr() net.Addr            { return a }
func (a fakeListener) Network() string           { return "tcp" }
func (a fakeListener) String() string            { return string(a) }
func (a fakeListener) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (a fakeListener) Close() error              { return nil }

func TestRemote(t *testing.T) {
	s := open(t, folder(t, mine))
	ca := newTestCA(t)
	r, done := far(t)
	useRemote(t, r, remoteConfig(t, s, ca), ca)
	need.OK(t, r.rw.Close())
	if err := <-done; err != nil {
		t.Errorf("at the end of its input: %v, want nil", err)
	}
	if _, err := r.Log(t.Context()); err == nil {
		t.Error("Log after Close has no error")
	}
}

func TestRemoteFaults(t *testing.T) {
	s := open(t)
	good := remoteConfig(t, s, newTestCA(t))
	for name, c := range map[string]struct {
		change func(*RemoteConfig)
		want   string
	}{
		"no CA":       {func(c *RemoteConfig) { c.CA = "" }, "start the fixture web: fixture CA: tls: failed to find any PEM data"},
		"no sites":    {func(c *RemoteConfig) { c.Sites = nil }, "start the fixture web: packed sites: unexpected end of JSON input"},
		"bad address": {func(c *RemoteConfig) { c.HTTP = "nowhere" }, "start the fixture web: fixture web: listen tcp: address nowhere: missing port in address"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := good
			c.change(&cfg)
			r, done := far(t)
			if err := r.Start(t.Context(), cfg); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("Start: %v, want %s", err, c.want)
			}
			if err := <-done; err == nil {
				t.Error("the far end returned no error")
			}
		})
	}
	t.Run("ended", func(t *testing.T) {
		r := NewRemote(duplex{strings.NewReader(""), nopCloser{io.Discard}})
		if err := r.Start(t.Context(), good); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Start with nobody there: %v", err)
		}
	})
	t.Run("canceled", func(t *testing.T) {
		near, silent := net.Pipe()
		defer silent.Close()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			io.CopyN(io.Discard, silent, 10)
			cancel()
		}()
		if err := NewRemote(near).Start(ctx, good); !errors.Is(err, context.Canceled) {
			t.Errorf("Start with a far end that says nothing: %v", err)
		}
	})
}

// The clock there may say anything, such as in an engine's virtual machine.
func TestRemoteClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, there := net.Pipe()
		defer near.Close()
		go func() {
			io.ReadFull(there, make([]byte, 1))
			go io.Copy(io.Discard, there)
			io.WriteString(there, `{"log":{"requests":[{"time":"1999-12-31T23:59:59.750Z"}],"own":[{"time":"2000-01-01T00:00:01.000001+01:00"}]},"now":"2000-01-01T00:00:02Z"}`+"\n")
		}()
		log, err := NewRemote(near).Log(t.Context())
		need.OK(t, err)
		var got []time.Duration
		for _, r := range slices.Concat(log.Requests, log.Own) {
			got = append(got, time.Until(r.Time))
		}
		if diff := cmp.Diff([]time.Duration{-2250 * time.Millisecond, -time.Hour - time.Second + time.Microsecond}, got); diff != "" {
			t.Errorf("from now by our clock (-want +got):\n%s", diff)
		}
	})
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestAsRemoteCommands(t *testing.T) {
	r, done := far(t)
	need.OK(t, r.Start(t.Context(), remoteConfig(t, open(t), newTestCA(t))))
	if _, err := r.ask(t.Context(), remoteCommand{Op: "dance"}); err == nil || err.Error() != `unknown op "dance"; allowed: draw, log, why` {
		t.Errorf("unknown op: %v", err)
	}
	need.OK(t, need.Err(r.Log(t.Context())))
	if _, err := r.ask(t.Context(), 7); err == nil {
		t.Error("a number for a command has no error")
	}
	if err := <-done; err == nil {
		t.Error("AsRemote returned nil after a line that is no command")
	}
}

func TestRemoteDraw(t *testing.T) {
	s := open(t, folder(t, map[string]string{"mine.test/page.tmpl.html": "{{.Param.price}}{{range .Param.rows}} {{.name}}{{end}}"}))
	ca := newTestCA(t)
	r, _ := far(t)
	need.OK(t, r.Start(t.Context(), remoteConfig(t, s, ca)))
	values := param.Values{"price": "12.50", "rows": []param.Row{{"name": "Ada"}, {"name": "Bo"}}}
	need.Fails(t, r.Draw(t.Context(), web.Draw{Hosts: []string{"mime.test"}, Values: values}), `mime.test: no fixture site of this name shows drawn values; did you mean "mine.test"?`)
	need.OK(t, r.Draw(t.Context(), web.Draw{Hosts: []string{"mine.test"}, Values: values}))
	c := client(t, ca, &Server{http: fakeListener(r.HTTP), https: fakeListener(r.HTTPS)})
	if status, body, err := get(t, c, "https://mine.test/page"); status != 200 || body != "12.50 Ada Bo" || err != nil {
		t.Errorf("%d %q, %v", status, body, err)
	}
}

// TestBinary builds the binary as the container image does and runs it.
func TestBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a binary")
	}
	binary := filepath.Join(t.TempDir(), "web")
	build := exec.Command("go", "build", "-o", binary, "../cmd/web")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(binary)
	cmd.Env = []string{}
	in, err := cmd.StdinPipe()
	need.OK(t, err)
	out, err := cmd.StdoutPipe()
	need.OK(t, err)
	need.OK(t, cmd.Start())
	defer cmd.Process.Kill()
	ca := newTestCA(t)
	r := NewRemote(duplex{out, in})
	useRemote(t, r, remoteConfig(t, open(t, folder(t, mine)), ca), ca)
	r.rw.Close()
	if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil {
		t.Errorf("after the end of stdin: %q, %v", rest, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v, want 0", err)
	}

	bad := exec.Command(binary)
	bad.Stdin = strings.NewReader("hello\n")
	var stderr strings.Builder
	bad.Stderr = &stderr
	answer, err := bad.Output()
	if ee, ok := errors.AsType[*exec.ExitError](err); !ok || ee.ExitCode() != 1 {
		t.Errorf("bad configuration: %v, want exit code 1", err)
	}
	if !strings.HasPrefix(string(answer), `{"error":"read the configuration: `) || !strings.HasPrefix(stderr.String(), "web: read the configuration: ") {
		t.Errorf("bad configuration: stdout %q, stderr %q", answer, stderr.String())
	}
}
