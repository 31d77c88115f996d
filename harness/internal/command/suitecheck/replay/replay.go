// Package replay sends the requests of an episode again, changed or not, to a fixture web of its
// own. It needs no server and no time: a thousand requests take a second.
//
//  1. [New] draws the hosts of a task, and [Stage.Acts] reads the log of an episode.
//  2. [Stage.Play] does acts, and returns the log of their web (replay.go).
//  3. [Stage.Forms] does acts, and then one more for each form that the pages offer (forms.go).
package replay

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
	"github.com/openchrome/bench/harness/internal/web"
)

// A Stage plays the requests of one task. Several goroutines may use it.
type Stage struct{ set *web.Set }

// New returns the stage of a task with these values.
func New(sites *web.Set, d web.Draw) (*Stage, error) {
	set, err := sites.With(d)
	return &Stage{set}, err
}

// An Act is a request, and the requests that follow its redirects.
type Act struct {
	web.Request
	Silent bool // its redirect is not followed
}

// Effect reports whether a request may have an effect: it does not only read, and the web did
// not refuse it.
func Effect(r web.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead && r.Status/100 != 4
}

// Acts returns the requests of a log without the ones that follow a redirect.
func (s *Stage) Acts(log []web.Request) (acts []Act) {
	p := s.open()
	led := make(map[string][]int) // by URL: the acts that a redirect leads there
	for _, r := range log {
		at := len(acts)
		if from := led[r.URL]; len(from) > 0 {
			at, led[r.URL] = from[0], from[1:]
			acts[at].Silent = false
		} else {
			acts = append(acts, Act{r, true})
		}
		if to := p.do(Act{r, true}); to != "" {
			led[to] = append(led[to], at)
		}
	}
	return acts
}

// Play does the acts one after the other, and returns the log of the web.
func (s *Stage) Play(acts []Act) web.Log {
	p := s.open()
	for _, a := range acts {
		p.do(a)
	}
	return p.web.Log()
}

// A player is one session of the web and one browser. It is the browser's way to the web.
type player struct {
	web     *web.Web
	browser *browser.Browser
}

func (s *Stage) open() *player {
	p := &player{web: s.set.NewWeb()}
	p.web.AtOnce()
	p.browser = browser.New(p)
	return p
}

// do does an act. If it ends at a redirect, to is where that leads.
func (p *player) do(a Act) (to string) {
	q, err := http.NewRequest(a.Method, a.URL, strings.NewReader(a.Body))
	if err != nil {
		return ""
	}
	if a.Type != "" {
		q.Header.Set("Content-Type", a.Type)
	}
	client := http.Client{Transport: p, Jar: p.browser}
	if a.Silent {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	answer, err := client.Do(q)
	if err != nil { // as a browser, it goes on after a broken connection
		return ""
	}
	if at, err := answer.Location(); err == nil {
		at.Fragment = "" // no request has it
		return at.String()
	}
	return ""
}

// RoundTrip implements [http.RoundTripper].
func (p *player) RoundTrip(q *http.Request) (answer *http.Response, err error) {
	r := q.Clone(q.Context())
	r.Host, r.URL = q.URL.Host, &url.URL{Path: q.URL.Path, RawPath: q.URL.RawPath, RawQuery: q.URL.RawQuery, ForceQuery: q.URL.ForceQuery}
	if q.URL.Scheme == "https" {
		r.TLS = &tls.ConnectionState{ServerName: q.URL.Hostname()}
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	defer func() {
		if broken := recover(); broken != nil {
			if broken != http.ErrAbortHandler {
				panic(broken)
			}
			answer, err = nil, fmt.Errorf("%s: the connection was broken", q.URL)
		}
	}()
	p.web.ServeHTTP(w, r)
	answer = w.Result()
	answer.Request = q
	return answer, nil
}
