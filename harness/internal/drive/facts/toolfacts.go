package facts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Tools is the source of a session whose browser is not ours.
type Tools struct{ session.Session }

func (t Tools) Kind() string { return record.FactsTools }

// Read implements [Source]. One javascript_tool call reads the page. Its answer also proves
// that no JavaScript dialog is open, because a dialog stops scripts. The page is settled
// when its document has loaded.
func (t Tools) Read(ctx context.Context, r Request) (observer.Reading, error) {
	f, settled, err := readPage(ctx, t.Session, r)
	if err != nil {
		return observer.Reading{}, err
	}
	ReadOwn(ctx, t.Session, r, f)
	for name, needed := range map[string]bool{
		evidence.FactScreenshot: r.Needs.Screenshot, evidence.FactPerformance: r.Needs.Performance, evidence.FactConsole: r.Needs.Console,
	} {
		if needed { // a server would say it of itself
			f.SetUnavailable(name, "the harness reads it only in a browser that it starts")
		}
	}
	return observer.Reading{Facts: f, Settled: settled}, nil
}

func (t Tools) URL(ctx context.Context, tabID string) (string, error) {
	r, err := callJSON(ctx, t.Session, "javascript_tool", map[string]any{"tabId": tabID, "code": "location.href"})
	if err != nil {
		return "", err
	}
	return r.Text(), nil
}

// Closed implements [Source]. The tools do not say why a tab is missing.
func (t Tools) Closed(string) bool { return false }

func (t Tools) Active() time.Time { return time.Time{} }

func (Tools) Scene(context.Context, string) (observer.Scene, bool) { return observer.Scene{}, false }

// page holds the value of [Expression].
type page struct {
	URL    string              `json:"url"`
	State  string              `json:"state"` // document.readyState
	Text   map[string]*string  `json:"text"`
	Count  map[string]*float64 `json:"count"`
	Errors map[string]*string  `json:"errors"`
}

func readPage(ctx context.Context, s session.Session, r Request) (f *evidence.Facts, settled bool, err error) {
	if r.TabID == "" {
		return nil, false, withoutPage(ctx, s, "", nil)
	}
	result, err := callJSON(ctx, s, "javascript_tool", map[string]any{
		"tabId": r.TabID, "code": evidence.Expression(r.Needs.Text, r.Needs.Count),
	})
	if d := doubtOf(result); d.Astray { // whoever opened it decided for no page
		return nil, false, &NoPage{Why: "the stand-in shows none: " + d.Reason}
	} else if d.Reason != "" {
		return nil, false, errors.New(d.Reason)
	}
	if session.IsTooLarge(result) { // caused by the page and not by OpenChrome
		return nil, false, &NoPage{Why: "its facts are too large: " + session.ErrTooLarge.Error()}
	}
	if result.IsError() {
		return nil, false, withoutPage(ctx, s, r.TabID, err)
	}
	if err != nil {
		return nil, false, err
	}
	var p page
	if !result.JSON(&p) {
		return nil, false, fmt.Errorf("javascript_tool did not return the facts: %s", display.Cut(result.Text(), excerpt))
	}
	if f, err = p.facts(r.Needs); err != nil {
		return nil, false, fmt.Errorf("javascript_tool did not return all facts: %w: %s", err, display.Cut(result.Text(), excerpt))
	}
	if what := observer.BrowserPage(p.URL); what != "" {
		return nil, false, &NoPage{Why: "the tab shows " + what, Off: true, URL: p.URL}
	}
	return f, p.State == "complete", nil
}

// facts returns the facts if p has exactly the requested facts. It checks this because
// OpenChrome 1.7.15 answers {} to code that it cannot handle.
func (p *page) facts(asked judge.Needs) (*evidence.Facts, error) {
	if p.URL == "" {
		return nil, errors.New("no url")
	}
	f := &evidence.Facts{URL: &p.URL, DOMCount: map[string]float64{}}
	known := map[string]bool{}
	failed := func(name string) bool {
		known[name] = true
		e := p.Errors[name]
		if e != nil {
			f.SetUnavailable(name, *e)
		}
		return e != nil
	}
	if len(asked.Text) > 0 {
		f.DOMText = &evidence.Text{Of: map[string]*string{}}
	}
	for _, s := range scriptStrings(asked.Text) {
		text, ok := p.Text[s] // null means that nothing matches
		if ok == failed(evidence.TextFact(s)) {
			return nil, fmt.Errorf("no text, or two answers, for %q", s)
		} else if ok {
			f.DOMText.Of[s] = text
		}
	}
	for _, s := range scriptStrings(asked.Count) {
		n := p.Count[s]
		if (n != nil) == failed(evidence.CountFact(s)) {
			return nil, fmt.Errorf("no count, or two answers, for %q", s)
		} else if n != nil {
			if *n < 0 || *n != math.Trunc(*n) {
				return nil, fmt.Errorf("the count for %q is %v", s, *n)
			}
			f.DOMCount[s] = *n
		}
	}
	for name := range p.Errors {
		if !known[name] {
			return nil, fmt.Errorf("an error for %q, which was not requested", name)
		}
	}
	return f, nil
}

// Inconclusive returns why a stand-in's answer cannot be used, for example because it
// cannot show the page exactly. It is empty for OpenChrome.
func Inconclusive(r adapter.Result) string { return doubtOf(r).Reason }

// NeedsBrowser reports whether a stand-in's answer cannot be used because the page or the call
// needs a real browser.
func NeedsBrowser(r adapter.Result) bool {
	d := doubtOf(r)
	return d.Reason != "" && !d.Broken
}

// doubt is what a stand-in says in an answer that cannot be used.
type doubt struct {
	Reason string `json:"standin/inconclusive"`
	Broken bool   `json:"standin/broken"`
	Astray bool   `json:"standin/astray"`
}

func doubtOf(r adapter.Result) doubt {
	var v struct {
		Meta doubt `json:"_meta"`
	}
	json.Unmarshal(r.Raw, &v)
	return v.Meta
}

// callJSON calls a tool for the harness; an error answer is an error.
func callJSON(ctx context.Context, s session.Session, tool string, args any) (adapter.Result, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return adapter.Result{}, err
	}
	r, err := s.Call(ctx, adapter.Call{Tool: s.Server().Listed(tool, s.Tools()), Args: raw})
	if err == nil && r.IsError() {
		err = fmt.Errorf("%s: %s", tool, display.Cut(r.Text(), excerpt))
	}
	return r, err
}

// excerpt is how many characters of an answer a message repeats.
const excerpt = 200

// scriptStrings returns the strings with invalid UTF-8 replaced, as a script sees them.
func scriptStrings(list []string) []string {
	read := make([]string, len(list))
	for i, s := range list {
		read[i] = string([]rune(s))
	}
	return read
}
