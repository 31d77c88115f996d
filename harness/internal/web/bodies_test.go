package web

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web/route"
)

// slow is a body that ends when a test says so.
type slow struct {
	reading *atomic.Int32
	end     chan struct{}
}

func (s slow) Read([]byte) (int, error) {
	s.reading.Add(1)
	<-s.end
	return 0, io.EOF
}

// A page that sends many bodies at the same time cannot take all memory.
func TestBodiesAtATime(t *testing.T) {
	set, faults := build(tree{"a.test": {"index.html": nil}}, func(_, name string) string { return name })
	need.OK(t, faults.Err())
	synctest.Test(t, func(t *testing.T) {
		web := set.NewWeb()
		body := slow{new(atomic.Int32), make(chan struct{})}
		var answered atomic.Int32
		for range 3 * maxBodies {
			go func() {
				r := httptest.NewRequest(http.MethodPost, "http://a.test/", body)
				r.Header.Set("Content-Type", "application/json")
				web.ServeHTTP(httptest.NewRecorder(), r)
				answered.Add(1)
			}()
		}
		synctest.Wait()
		if n := body.reading.Load(); n != maxBodies {
			t.Errorf("%d bodies are read at the same time, want %d", n, maxBodies)
		}
		rec := httptest.NewRecorder() // a request without a body does not wait
		web.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "http://a.test/", nil))
		need.Is(t, "status", http.StatusOK, rec.Code)
		close(body.end)
		synctest.Wait()
		if n := answered.Load(); n != 3*maxBodies {
			t.Errorf("%d answers, want %d", n, 3*maxBodies)
		}
	})
}

// A body of 1 MiB with short values takes little memory.
func TestBodyOfManyValues(t *testing.T) {
	set, faults := build(tree{"a.test": {"index.html": nil, route.RoutesFile: []byte(`[{"path": "/x", "method": "POST", "location": "/"}]`)}}, func(_, name string) string { return name })
	need.OK(t, faults.Err())
	fields := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"%x":1`, i)
		}
		return "{" + b.String()[1:] + "}"
	}
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"many fields":  {fields(100_000), http.StatusBadRequest},
		"many numbers": {"[" + strings.Repeat("1,", maxBody/2-2) + "1]", http.StatusBadRequest},
		"many lists":   {"[" + strings.Repeat("[],", maxBody/3-2) + "1]", http.StatusBadRequest},
		"fine":         {fields(maxValues / 2), http.StatusSeeOther},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "http://a.test/x", strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			before := allocated()
			set.NewWeb().ServeHTTP(rec, r)
			if made := allocated() - before; rec.Code != c.want || made > 20<<20 {
				t.Errorf("status %d, want %d; %d MB were allocated", rec.Code, c.want, made>>20)
			}
		})
	}
}
