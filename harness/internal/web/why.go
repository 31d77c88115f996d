package web

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web/route"
)

// maxPast bounds what a Web remembers of requests and states, in bytes; a value takes more.
const maxPast = 8 << 20

// past is what the hosts were asked so far.
type past struct {
	acts  map[string][]route.Act // by host
	bytes int
	lost  bool // a request is missing
	wrong *act // the first wrong act
}

type act struct {
	host string
	route.Act
}

// note remembers a request. The caller holds w.mu.
func (w *Web) note(host string, a route.Act, err error) {
	p := &w.past
	for _, m := range []map[string][]string{a.Sent, a.Header} {
		for name, values := range m {
			p.bytes += 100 + len(name)
			for _, v := range values {
				p.bytes += 20 + 2*len(v)
			}
		}
	}
	if a.After != a.Before {
		p.bytes += 2 * a.After.Size()
	}
	if p.lost = p.lost || err != nil || p.bytes > maxPast; p.lost {
		p.acts = nil
		return
	}
	if p.acts == nil {
		p.acts = map[string][]route.Act{}
	}
	if p.wrong == nil && a.By != nil && a.By.Wrong != "" {
		p.wrong = &act{host, a}
	}
	p.acts[host] = append(p.acts[host], a)
}

// Why returns the log with the reasons of missed receipts. Call it after the verdict: the reasons
// have the values that were wanted. It has none if the Web could not remember every request.
func (w *Web) Why() Log {
	l := w.Log()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.past.lost {
		return l
	}
	for _, host := range slices.Sorted(maps.Keys(w.past.acts)) {
		site, now := w.set.Load().site(host), w.state[host]
		if now == nil {
			now = site.start
		}
		for _, r := range site.routes {
			if !r.Receipt || len(w.log.wrong) == 0 && r.Ends(now) {
				continue
			}
			m := record.Missed{Kind: record.MissedWrong}
			if wrong := w.past.wrong; wrong != nil && wrong.host != host {
				m.Sent, m.At, m.Wrong = wrong.Method+" "+wrong.Path, wrong.At, wrong.By.Wrong
			} else {
				m = route.Why(site.routes, w.past.acts[host], now, r)
			}
			m.End = own(host, route.EndPath+r.Path, http.StatusConflict).URL
			l.Missed = append(l.Missed, m)
		}
	}
	return l
}

// SetClock converts the times of the log to another clock, which shows now when this one shows at.
func (l *Log) SetClock(at, now time.Time) {
	convert := func(t *time.Time) {
		if !t.IsZero() {
			*t = now.Add(t.Sub(at))
		}
	}
	for _, entries := range [][]Request{l.Requests, l.Own} {
		for i := range entries {
			convert(&entries[i].Came)
			convert(&entries[i].Time)
		}
	}
	for i := range l.Missed {
		convert(&l.Missed[i].At)
	}
	convert(&l.Active)
}
