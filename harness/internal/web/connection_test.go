package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
)

// doNow is like do, but its client has already left. So no answer waits.
func doNow(w *Web, method, url, body string) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := httptest.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler {
			panic(v)
		}
	}()
	w.ServeHTTP(httptest.NewRecorder(), r)
}

// statuses returns "path status" of the log.
func statuses(w *Web) []string {
	var out []string
	for _, r := range w.Log().Requests {
		out = append(out, fmt.Sprintf("%s %d", r.Path, r.Status))
	}
	return out
}

func TestDelay(t *testing.T) {
	files := map[string]string{
		"index.html": "home", "count.tmpl.html": "{{.State.n}}",
		"routes.json": `[{"path": "/", "when": {"first": 1}, "delayMs": 60000, "add": {"n": 1}}]`,
	}
	synctest.Test(t, func(t *testing.T) {
		w := oneSite(t, files).NewWeb()
		other := w.set.Load().NewWeb()
		start := time.Now()
		late := make(chan string)
		go func() { late <- do(t, w, "GET", "http://a.test/", "").Body.String() }()
		synctest.Wait()
		need.Is(t, "state while the answer is late", "200 1", visit(t, w, "GET /count"))
		if got := visit(t, w, "GET /"); got != "200 home" || time.Since(start) != 0 {
			t.Errorf("second request: %s after %v, want 200 home at once", got, time.Since(start))
		}
		need.Equal(t, "log before the late answer", []string{"/count 200", "/ 200"}, statuses(w))
		need.Is(t, "other session", "200", visit(t, other, "GET /count"))
		if got := <-late; got != "home" || time.Since(start) != time.Minute {
			t.Errorf("late answer %q after %v, want home after 1m", got, time.Since(start))
		}
		need.Equal(t, "log", []string{"/count 200", "/ 200", "/ 200"}, statuses(w))
	})
	synctest.Test(t, func(t *testing.T) {
		w := oneSite(t, files).NewWeb()
		start := time.Now()
		doNow(w, "GET", "http://a.test/", "")
		if diff := cmp.Diff([]string{"/ 0"}, statuses(w)); diff != "" || time.Since(start) != 0 {
			t.Errorf("client left: %v, log (-want +got):\n%s", time.Since(start), diff)
		}
	})
}
