package containers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
)

func TestSession(t *testing.T) {
	needEngine(t)
	l := newLauncher(t, options(t))
	s, other := started(t, l), started(t, l)

	want := record.Server{Name: "containers-test", Version: "1", Protocol: session.Protocol, Isolation: "fresh"}
	need.Equal(t, "server", want, s.Identity(), cmpopts.IgnoreFields(record.Server{}, "Image", "Package"))
	for name, digest := range map[string]string{"image": s.Identity().Image, "package": s.Identity().Package} {
		if !strings.HasPrefix(digest, "sha256:") {
			t.Errorf("server: %s %q is no digest", name, digest)
		}
	}
	if !session.Has(s, "fetch") {
		t.Errorf("tools: %v, want fetch among them", s.Tools())
	}
	for _, url := range []string{"http://example.com/", "https://example.com/more"} {
		if got := call(t, s, "fetch", url, 0).Text(); !strings.HasPrefix(got, "200 OK\n") {
			t.Errorf("fetch %s: %s", url, got)
		}
	}
	got, err := s.Requests(t.Context())
	need.OK(t, err)
	log := []web.Request{
		{Method: "GET", URL: "http://example.com/", Host: "example.com", Path: "/", Status: 200},
		{Method: "GET", URL: "https://example.com/more", Host: "example.com", Path: "/more", Status: 200},
	}
	need.Equal(t, "requests", log, got.Requests, cmpopts.IgnoreFields(web.Request{}, "Came", "Time", "Sent"))
	if got, err := other.Requests(t.Context()); err != nil || len(got.Requests) > 0 {
		t.Errorf("requests of the other session: %v, %v; want none", got, err)
	}
}

func TestBigReply(t *testing.T) {
	needEngine(t)
	s := started(t, newLauncher(t, options(t)))
	const size = 7 << 20 // an answer has at most 8 MiB
	need.Is(t, "bytes came back", size, len(call(t, s, "fill", "", size).Text()))
}

func TestCrash(t *testing.T) {
	needEngine(t)
	s := started(t, newLauncher(t, options(t)))
	began := time.Now()
	_, err := s.Call(t.Context(), toolCall("crash", "some line\nError: out of luck\n    at crash.js:7", 3))
	e, ok := errors.AsType[*session.Error](err)
	if !ok {
		t.Fatalf("error %v (%T), want an *openchrome.Error", err, err)
	}
	need.Is(t, "error", "crash: transport closed: OpenChrome ended: exit status 3: Error: out of luck", e.Error())
	if _, ok := errors.AsType[*session.Outage](err); ok {
		t.Error("it passes for an outage of ours")
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("the crash was noticed after %v", took)
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	needEngine(t)
	s := started(t, newLauncher(t, options(t)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Call(ctx, toolCall("read", "/dev/full", 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if r := call(t, s, "read", "/proc/self/comm", 0); r.Text() != "server\n" {
		t.Errorf("the next call: %s", r.Text())
	}
}

// Whoever has no time to wait for the log says nothing of the web.
func TestLogEndsWithItsContext(t *testing.T) {
	needEngine(t)
	s := started(t, newLauncher(t, options(t)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // the look that was given up goes on behind the next one
		if _, err := s.Requests(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want %v", err, context.Canceled)
		}
		need.OK(t, need.Err(s.Requests(t.Context())))
	}
}

func TestClose(t *testing.T) {
	e := needEngine(t)
	l := newLauncher(t, options(t))
	s := started(t, l)
	began := time.Now()
	need.OK(t, s.Close())
	if took := time.Since(began); took > 9*time.Second { // an engine that waits for the end waits 10 s
		t.Errorf("Close took %v", took)
	}
	if left := leftovers(t, e, l.(*launcher).run); len(left) != 1 {
		t.Errorf("%q are left, want the launcher's network alone", left)
	}
	if _, err := s.Call(t.Context(), toolCall("fill", "", 1)); err == nil || err.Error() != "fill: the session is closed" {
		t.Errorf("a call after Close: %v", err)
	}
	if _, err := s.Requests(t.Context()); err != session.ErrClosed {
		t.Errorf("the requests after Close: %v", err)
	}
	need.OK(t, s.Close())
}

// The launch ends with its context even if the container's process is no Chromium.
func TestSilentEntrypoint(t *testing.T) {
	needEngine(t)
	l := newLauncher(t, options(t))
	l.(*launcher).o.Server = ""           // what runs is to be taken for an OpenChrome
	ctx := need.Within(t, 10*time.Second) // a busy engine takes long to start a container
	_, err := l.Launch(ctx)
	const want = "start Chromium: attach to the browser: context deadline exceeded"
	need.Is(t, "error", want, fmt.Sprint(err))
}

func TestLaunchIsCancelled(t *testing.T) {
	e := needEngine(t)
	l := newLauncher(t, options(t))
	for _, after := range []time.Duration{0, 10, 50, 100, 200} {
		ctx, cancel := context.WithTimeout(t.Context(), after*time.Millisecond)
		s, err := l.Launch(ctx)
		if err == nil {
			err = s.Close() // it was fast
		}
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled after %d ms: %v", after, err)
		}
	}
	need.OK(t, l.Close())
	if left := leftovers(t, e, l.(*launcher).run); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}
