package web

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/record"
)

// Only Why says why a receipt was missed: the log before the verdict has no wanted value.
func TestWhy(t *testing.T) {
	const routes = `[
		{"method": "POST", "path": "/pay", "when": {"field": {"to": "Ada"}}, "set": {"paid": "yes"}, "location": "/"},
		{"path": "/receipt", "receipt": true, "when": {"state": {"paid": "yes"}}, "status": 204}
	]`
	s := open(t, folder(t, map[string]string{
		"a.test/routes.json": routes, "a.test/index.html": "home",
		"b.test/routes.json": `[{"path": "/*", "wrong": "visited", "status": 204}]`,
	}))
	tests := []struct {
		name string
		sent [][2]string // URL and body of a POST; without a body of a GET
		kind record.MissedKind
		why  string
	}{
		{"not visited", nil, "", ""},
		{"looked only", [][2]string{{"http://a.test/", ""}}, record.MissedUnsent, "POST /pay"},
		{"another value", [][2]string{{"http://a.test/pay", "to=Bo"}}, record.MissedValue, "POST /pay"},
		{"earned", [][2]string{{"http://a.test/pay", "to=Ada"}}, "", ""},
		{"wrong on another host", [][2]string{{"http://a.test/pay", "to=Ada"}, {"http://b.test/x", ""}}, record.MissedWrong, ""},
		{"too much to remember", [][2]string{{"http://a.test/pay", "to=" + strings.Repeat("x", maxBody-3)}, {"http://a.test/pay", "to=" + strings.Repeat("x", maxBody)}}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := s.NewWeb()
			for _, sent := range tt.sent {
				method := "GET"
				if sent[1] != "" {
					method = "POST"
				}
				do(t, w, method, sent[0], sent[1])
			}
			if m := w.Log().Missed; m != nil {
				t.Errorf("the log before the verdict says %+v", m)
			}
			var got record.Missed
			for _, got = range w.Why().Missed {
			}
			if got.Kind != tt.kind || got.Wanted != tt.why {
				t.Errorf("got %+v, want %s %s", got, tt.kind, tt.why)
			}
		})
	}
}
