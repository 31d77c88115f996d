package episode

import (
	"context"
	"sort"
	"time"

	"github.com/openchrome/bench/harness/internal/record"
)

// whyTimeout bounds the last question to the fixture web, which takes milliseconds.
const whyTimeout = 2 * time.Second

// askWeb adds the requests of the fixture web to s, and why the receipts that the contract asks for
// were missed. It is asked only after the verdict, because the answer has the values that were wanted.
func (r *run) askWeb(ctx context.Context, s *record.Stop) {
	if r.Session == nil || r.LiveWeb || ctx.Err() != nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, whyTimeout)
	defer cancel()
	log, err := r.Session.Why(limited)
	if err != nil {
		return
	}
	for _, q := range log.Requests {
		s.Requests = append(s.Requests, record.Request{Step: r.stepAt(q.Time), Method: q.Method, URL: q.URL, Status: q.Status, Type: q.Type, Body: q.Body})
	}
	for _, m := range log.Missed {
		if m.Kind != record.MissedWrong && !r.Task.Success.Asks(m.End) {
			continue
		}
		if !m.At.IsZero() {
			m.Step = r.stepAt(m.At)
		}
		s.Missed = append(s.Missed, m)
	}
}

// stepAt returns the step in which something happened.
func (r *run) stepAt(at time.Time) int {
	return max(0, sort.Search(len(r.sent), func(i int) bool { return r.sent[i].After(at) })-1)
}
