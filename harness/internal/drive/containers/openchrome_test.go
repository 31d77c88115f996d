package containers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

func realOptions(t testing.TB) Options {
	t.Helper()
	pkg := realPackage(t)
	needEngine(t)
	o := options(t)
	o.Server, o.Package = "", pkg
	return o
}

func TestOpenChrome(t *testing.T) {
	s := started(t, newLauncher(t, realOptions(t)))
	got := s.Identity()
	if got.Name != "openchrome" || got.Version == "" || !strings.HasPrefix(got.Package, "sha256:") {
		t.Errorf("server %+v", got)
	}
	if !regexp.MustCompile(`^Chrome/\d+\.\d+\.\d+\.\d+$`).MatchString(got.Chromium) {
		t.Errorf("server: Chromium %q is no version", got.Chromium)
	}
	if session.Has(s, "console_capture") {
		t.Errorf("%d tools are listed, which are not those that users get", len(s.Tools()))
	}
	for _, url := range []string{"https://example.com/more", "http://example.com/"} {
		need.Is(t, "is shown as", url, browse(t, s, url, "location.href"))
	}
	log, err := s.Requests(t.Context())
	need.OK(t, err)
	need.Is(t, fmt.Sprintf("requests %v", log), 2, len(log.Requests))
	// One line of many megabytes.
	need.Is(t, "bytes came back", 7e6, len(browse(t, s, "https://example.com/", "'x'.repeat(7e6)")))
}

// A halted server does not answer until it goes on.
func TestHalt(t *testing.T) {
	s := started(t, newLauncher(t, realOptions(t)))
	resume, err := s.Halt(t.Context())
	need.OK(t, err)
	ctx := need.Within(t, 500*time.Millisecond)
	tabs := adapter.Call{Tool: "tabs_context", Args: json.RawMessage("{}")}
	if r, err := s.Call(ctx, tabs); err == nil {
		t.Errorf("it answered %s", r.Text())
	}
	need.OK(t, resume(t.Context()))
	need.OK(t, need.Err(s.Call(t.Context(), tabs)))
}

// OpenChrome and Chromium can read the files that the harness gives them.
func TestPutFiles(t *testing.T) {
	s := started(t, newLauncher(t, realOptions(t)))
	paths, err := s.PutFiles(t.Context(), map[string][]byte{"my letter.txt": []byte("Dear Ada"), "other": nil})
	if want := "/home/bench/task-files/my letter.txt"; err != nil || paths["my letter.txt"] != want {
		t.Fatalf("paths %v, %v; want %s", paths, err, want)
	}
	browse(t, s, "https://example.com/", "document.body.innerHTML = '<input type=file id=doc>'")
	r, err := s.Call(t.Context(), adapter.Call{Tool: "tabs_context"})
	tab := regexp.MustCompile(`[0-9A-F]{32}`).FindString(r.Text())
	if err != nil || tab == "" {
		t.Fatalf("no tab in %s, %v", r.Text(), err)
	}
	for _, c := range []struct{ tool, args, want string }{
		{"file_upload", `"selector":"#doc","filePaths":["` + paths["my letter.txt"] + `"]`, "my letter.txt"},
		{"javascript_tool", `"code":"await document.querySelector('#doc').files[0].text()"`, "Dear Ada"},
	} {
		r, err := s.Call(t.Context(), adapter.Call{Tool: c.tool, Args: json.RawMessage(`{"tabId":"` + tab + `",` + c.args + `}`)})
		if err != nil || r.IsError() || !strings.Contains(r.Text(), c.want) {
			t.Errorf("%s: %s, %v; want %s", c.tool, r.Text(), err, c.want)
		}
	}
}

// What the server writes to the pipes and files of Chromium's processes does not reach us.
func TestServerIsNotChromium(t *testing.T) {
	s, tab := opened(t)
	x, err := s.box.run(t.Context(), "sh", "-c", `exec 3>&2 2>/dev/null
		tried=0
		for p in 1 $(grep -lx chromium /proc/[0-9]*/comm | tr -dc '0-9\n'); do
			for f in fd/0 fd/1 fd/2 fd/3 fd/4 mem; do
				tried=$((tried + 1))
				if printf x >"/proc/$p/$f"; then echo "writes to $f of $(cat /proc/$p/comm)" >&3; exit 1; fi
			done
			if kill -CONT "$p" || cat "/proc/$p/environ" || ls "/proc/$p/fd"; then echo "reaches $(cat /proc/$p/comm)" >&3; exit 1; fi
		done >&2
		if ls /home/chromium/profile; then echo "lists the profile of Chromium" >&3; exit 1; fi >&2
		echo "$tried tried" >&3
		test "$tried" -gt 6`)
	need.OK(t, err)
	if end, err := x.wait(); err != nil || end.Running || end.ExitCode != 0 {
		t.Errorf("the server reaches Chromium: %+v, %v: %s", end, err, x.LastLine())
	}
	need.OK(t, need.Err(s.Observer().Read(t.Context(), observer.Request{TabID: tab})))
}

// WebRTC does not use the resolver, which keeps everything else inside.
func TestWebRTC(t *testing.T) {
	const gather = `await (async (c, seen) => (c.createDataChannel("x"), ` +
		`await new Promise(done => (c.onicecandidate = e => e.candidate ? seen.push(e.candidate.candidate) : done(), c.setLocalDescription())), ` +
		`"candidates: " + seen))(new RTCPeerConnection(), [])`
	s := started(t, newLauncher(t, realOptions(t)))
	got := browse(t, s, "https://example.com/", gather)
	if !strings.Contains(got, "candidates: ") || strings.Contains(strings.ToLower(got), "udp") {
		t.Error(got)
	}
}

// The run's CA is one more that is trusted, not the end of checking.
func TestCertificatesAreVerified(t *testing.T) {
	o := realOptions(t)
	l := newLauncher(t, o)
	other, err := serve.NewCA(o.Sites.Hosts()...)
	need.OK(t, err)
	if l.(*launcher).ca, err = other.Marshal(); err != nil {
		t.Fatal(err)
	}
	s := started(t, l)
	r, err := s.Call(t.Context(), adapter.Call{Tool: "navigate", Args: json.RawMessage(`{"url":"https://example.com/"}`)})
	need.OK(t, err)
	need.Has(t, r.Text(), "ERR_CERT_AUTHORITY_INVALID")
}

// Options that a version does not know would end it; those it knows are used.
func TestOptionsByVersion(t *testing.T) {
	o := realOptions(t)
	o.Package = "testdata/package"
	l := newLauncher(t, o)
	e := l.(*launcher).engine
	t.Cleanup(func() { // or it would be the newest OpenChrome of this machine
		e.api.ImageRemove(context.Background(), l.(*launcher).images.Server, client.ImageRemoveOptions{PruneChildren: true, Force: true})
	})
	s := started(t, l)
	r, err := s.Call(t.Context(), adapter.Call{Tool: "started"})
	if want := "serve --no-auto-elect --port 9222 --launch-mode attach in /home/bench/work"; err != nil || r.Text() != want {
		t.Errorf("started %s (%v), want %s", r.Text(), err, want)
	}
	// At the end of its input the server ends, and so does the container.
	x := s.(*boxSession).server
	stdin{&x.stream}.Close()
	if end, err := x.wait(); err != nil || end.Running || end.ExitCode != 0 {
		t.Errorf("the server after its input: %+v, %v", end, err)
	}
	c := s.(*boxSession).box
	stdin{&c.stream}.Close()
	select {
	case <-c.ended:
		need.Is(t, "exit status", 0, c.status)
	case <-time.After(50 * time.Second):
		t.Error("the container outlives its input")
	}
}

func TestFailedBuildShowsItsOutput(t *testing.T) {
	o := realOptions(t)
	o.Package = t.TempDir()
	os.Mkdir(filepath.Join(o.Package, "dist"), 0o755)
	os.WriteFile(filepath.Join(o.Package, "dist", "index.js"), nil, 0o644)
	os.WriteFile(filepath.Join(o.Package, "package.json"), []byte(`{"name": "x", "version": "1.0.0", "engines": {"node": ">=99"}}`), 0o644)
	_, err := buildImages(t.Context(), BuildOptions{Package: o.Package})
	if err == nil {
		t.Fatal("it was built")
	}
	for _, want := range []string{"build the openchrome image: ", "RUN sh /src/install package", "OpenChrome needs Node >=99"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error has no %q:\n%v", want, err)
		}
	}
}
