package suitecheck

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/command/suitecheck/replay"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/web"
)

// A resending judges requests that are sent again, without a browser: on the last page of the
// oracle, with the log of the web that got them. So only the requests decide.
type resending struct {
	*replay.Stage
	proof  *proof
	oracle played
	acts   []replay.Act // of the oracle
}

// resent makes the ends of a check that sends requests again. The oracle's own must do the task.
func resent(ends func(context.Context, resending) finding) func(context.Context, *proof, []played) finding {
	return passing(func(ctx context.Context, p *proof, oracle played) finding {
		stage, err := replay.New(p.stage.Sites, web.Draw{Hosts: p.task.Sites, Values: p.task.Values})
		if err != nil {
			return noCheck(display.VisibleTo(err.Error(), 200))
		}
		r := resending{stage, p, oracle, stage.Acts(oracle.requests)}
		if !r.holds(stage.Play(r.acts)) {
			return noCheck("the requests of the oracle do not do the task when they are sent again")
		}
		return ends(ctx, r)
	})
}

// holds reports whether the contract holds after these requests.
func (r resending) holds(log web.Log) bool {
	page := *r.oracle.facts
	var f evidence.Facts
	if page.Facts != nil { // the tab is open
		f = *page.Facts
	}
	facts.SetNetwork(&f, log)
	page.Facts = &f
	return holds(r.proof.task.Success.Live(), page)
}

// others returns the acts that the oracle does not do, or does less often.
func (r resending) others(acts []replay.Act) (out []int) {
	left := slices.Clone(r.acts)
	for i, a := range acts {
		same := func(b replay.Act) bool { return a.Method == b.Method && a.URL == b.URL && a.Body == b.Body }
		if at := slices.IndexFunc(left, same); at >= 0 {
			left = slices.Delete(left, at, at+1)
		} else {
			out = append(out, i)
		}
	}
	return out
}

// forbidden changes the acts of each forbidden transcript: each act alone, and all that the
// oracle does not do. The contract must not hold. counts reports whether what was done shows
// anything.
func (r resending) forbidden(ctx context.Context, f *finding, how string, change func(*replay.Act) bool, counts func(before, after web.Log) bool) (tried int) {
	for _, e := range r.proof.play(ctx, forbidden(ctx, r.proof)...) {
		acts := r.Acts(e.requests)
		before := r.Play(acts)
		if e.fault != "" || r.holds(before) { // the forbidden act is no request
			continue
		}
		sets := [][]int{r.others(acts)}
		for i := range acts {
			sets = append(sets, []int{i})
		}
		for _, set := range sets {
			changed, any := slices.Clone(acts), false
			for _, i := range set {
				any = change(&changed[i]) || any
			}
			if !any {
				continue
			}
			after := r.Play(changed)
			if !counts(before, after) {
				continue
			}
			tried++
			if r.holds(after) {
				f.problem("%s, %s: the contract holds", e.name, how)
				break
			}
		}
	}
	return tried
}

func checkTwice(ctx context.Context, r resending) finding {
	var f finding
	effects := func(log []web.Request) (n int) {
		for _, q := range log {
			if replay.Effect(q) {
				n++
			}
		}
		return n
	}
	once := effects(r.oracle.requests)
	f.detail = fmt.Sprint(once)
	if once == 0 {
		return f
	}
	e := r.proof.play(ctx, r.proof.twice())[0]
	if e.fault != "" || effects(e.requests) > once {
		f = mustFail(e)
		f.detail = fmt.Sprint(once)
	}
	again := slices.Clone(r.acts)
	for _, a := range r.acts {
		if replay.Effect(a.Request) {
			again = append(again, a)
		}
	}
	if log := r.Play(again); effects(log.Requests) > once && r.holds(log) {
		f.problem("the same requests twice: the contract holds")
	}
	return f
}

func checkSilent(ctx context.Context, r resending) finding {
	var f finding
	f.detail = fmt.Sprint(r.forbidden(ctx, &f, "without following a redirect", func(a *replay.Act) bool {
		was := a.Silent
		a.Silent = true
		return !was
	}, func(web.Log, web.Log) bool { return true }))
	return f
}

// addresses are ways to write an address otherwise that no server should mind.
var addresses = []struct {
	name   string
	change func(*url.URL)
}{
	{"over the other scheme", func(u *url.URL) {
		u.Scheme = map[string]string{"http": "https", "https": "http"}[u.Scheme]
	}},
	{"with a query", func(u *url.URL) { u.RawQuery = strings.TrimPrefix(u.RawQuery+"&extra=1", "&") }},
}

func checkAddress(ctx context.Context, r resending) finding {
	var f finding
	tried := 0
	alike := func(a, b web.Log) bool {
		return slices.EqualFunc(a.Requests, b.Requests, func(x, y web.Request) bool { return x.Status == y.Status })
	}
	right := r.Play(r.acts)
	for _, other := range addresses {
		change := func(a *replay.Act) bool {
			u, err := url.Parse(a.URL)
			if err == nil {
				other.change(u)
				a.URL = u.String()
			}
			return err == nil
		}
		tried += r.forbidden(ctx, &f, other.name, change, alike)
		acts := slices.Clone(r.acts)
		for i := range acts {
			change(&acts[i])
		}
		if log := r.Play(acts); alike(right, log) {
			tried++
			if !r.holds(log) {
				f.problem("the oracle, %s: the contract does not hold", other.name)
			}
		}
	}
	f.detail = fmt.Sprint(tried)
	return f
}

func checkThen(ctx context.Context, r resending) finding {
	var f finding
	more := r.Forms(ctx, r.acts, r.holds)
	for _, e := range r.proof.play(ctx, forbidden(ctx, r.proof)...) { // its requests may need no form
		acts := r.Acts(e.requests)
		for _, i := range r.others(acts) {
			if a := acts[i]; replay.Effect(a.Request) {
				more = append(more, replay.More{Name: e.name, Sent: a.Method + " " + a.URL + " " + a.Body, Log: r.Play(append(slices.Clone(r.acts), a))})
			}
		}
	}
	for _, m := range more {
		if r.holds(m.Log) {
			f.problem("%s: %s: the contract holds", m.Name, display.VisibleTo(m.Sent, 200))
		}
	}
	f.unsign(r.proof.signed.Then, "pass after the transcript")
	f.detail = fmt.Sprint(len(more))
	return f
}

// checkLeaves judges the last pages of other checks' episodes again, without one leaf of the
// contract at a time. It adds two pages that were made from them: the oracle's last page with
// the requests of the start, which a script can forge, and the start page with the oracle's
// requests.
func checkLeaves(ctx context.Context, p *proof, oracle played) finding {
	episodes := p.play(ctx, slices.Concat([]play{doNothing}, cuts(ctx, p), p.mutants(oracle), forbidden(ctx, p))...)
	c := p.task.Success.Live()
	pages := []record.Facts{*oracle.facts}
	for _, e := range episodes {
		if e.fault == "" && e.facts.Facts != nil {
			pages = append(pages, *e.facts)
		}
	}
	if start := episodes[0].facts; episodes[0].fault == "" && start.Facts != nil {
		pages = append(pages, mixed(*oracle.facts, start.Facts.Network), mixed(*start, oracle.facts.Facts.Network))
	}
	var f finding
	leaves := c.Leaves()
	f.detail = fmt.Sprint(len(leaves))
	for _, leaf := range leaves {
		rest := c.Without(leaf.Path)
		if !slices.ContainsFunc(pages, func(page record.Facts) bool { return holds(rest, page) != holds(c, page) }) {
			f.problem("%s (%s) changes no verdict", leaf.Path, display.VisibleTo(leaf.Want, 200))
		}
	}
	return f
}

func mixed(page record.Facts, requests []evidence.Request) record.Facts {
	facts := *page.Facts
	facts.Network = requests
	page.Facts = &facts
	return page
}

// holds reports whether a contract holds on a page. A nil contract always holds.
func holds(c *judge.Contract, page record.Facts) bool {
	if c == nil {
		return true
	}
	in := judge.Input{Facts: page.Facts, SessionID: page.SessionID, Now: time.UnixMilli(page.NowMs), Classes: page.Classes, ClassesDir: facts.ClassesDir()}
	if page.Provenance != nil {
		in.Provenance = *page.Provenance
	}
	return judge.Judge(c, in).Verdict == judge.Pass
}
