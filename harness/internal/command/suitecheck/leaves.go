package suitecheck

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

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
