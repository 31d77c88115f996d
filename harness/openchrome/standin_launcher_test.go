package openchrome

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/event"
)

func newStandin(t testing.TB) Launcher {
	t.Helper()
	set, ca := testWeb(t)
	l, err := NewStandin(StandinOptions{Sites: set, CA: ca})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestStandin(t *testing.T) {
	s := launch(t, newStandin(t))
	got := s.Subject()
	got.Version = ""
	want := event.Subject{Launcher: "standin", Name: "openchrome-bench-standin", Protocol: Protocol, Isolation: "fresh"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Subject mismatch (-want +got):\n%s", diff)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Call(t.Context(), event.Call{Tool: "navigate"}); err == nil || err.Error() != "navigate: the session is closed" {
		t.Errorf("a call after Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

func TestStandinNeedsSites(t *testing.T) {
	if _, err := NewStandin(StandinOptions{}); err == nil {
		t.Error("a stand-in with the live web")
	}
}

// BenchmarkStandinSession is what a session costs beside its calls.
func BenchmarkStandinSession(b *testing.B) {
	l := newStandin(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s, err := l.Launch(b.Context(), SessionOptions{})
			if err != nil {
				b.Fatal(err)
			}
			s.Close()
		}
	})
}
