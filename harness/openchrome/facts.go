package openchrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/observer"
)

// FactsRequest says which facts to read and where.
type FactsRequest struct {
	Needs contract.Needs
	TabID string    // the tab that is judged
	Last  time.Time // when the last tool call was sent, for `since: last_tool_call`
}

// ReadFacts reads the URL of the page and the facts that the contract needs. If the
// server cannot give a fact before ctx ends, Facts.Unavailable names it with the
// reason, and only the assertions that need it become inconclusive. ReadFacts returns
// an error if no page answered: nothing can be judged then.
//
// One javascript_tool call reads the page. Its answer also proves that no JavaScript
// dialog is open: a dialog stops scripts.
//
// Where there is no page the error is a [*NoPage], or an [*Outage] when the
// browser is gone and OpenChrome is not to blame.
func ReadFacts(ctx context.Context, s Session, r FactsRequest) (*contract.Facts, error) {
	f, err := readPage(ctx, s, r)
	if err != nil {
		return nil, err
	}
	if r.Needs.Network {
		readNetwork(ctx, s, r, f)
	}
	if r.Needs.Screenshot {
		readScreenshot(ctx, s, r, f)
	}
	if r.Needs.Performance {
		readContractFacts(ctx, s, f, "performance", "performance_metrics", map[string]any{"tabId": r.TabID})
	}
	if r.Needs.Console {
		readContractFacts(ctx, s, f, "console", "console_capture", map[string]any{"tabId": r.TabID, "action": "get"})
	}
	return f, nil
}

// page is the value of [factsExpression].
type page struct {
	URL    string              `json:"url"`
	Text   map[string]*string  `json:"text"`
	Count  map[string]*float64 `json:"count"`
	Errors map[string]*string  `json:"errors"`
}

func readPage(ctx context.Context, s Session, r FactsRequest) (*contract.Facts, error) {
	if r.TabID == "" {
		return nil, withoutPage(ctx, s, "", nil)
	}
	result, err := callJSON(ctx, s, "javascript_tool", map[string]any{
		"tabId": r.TabID, "code": factsExpression(r.Needs.Text, r.Needs.Count),
	})
	if why := inconclusiveMeta(result); why != "" {
		return nil, errors.New(why)
	}
	if isTooLarge(result) { // the page's fault, not OpenChrome's
		return nil, &NoPage{Why: "its facts are too large: " + errTooLarge.Error()}
	}
	if result.IsError() {
		return nil, withoutPage(ctx, s, r.TabID, err)
	}
	if err != nil {
		return nil, err
	}
	var p page
	if !result.JSON(&p) {
		return nil, fmt.Errorf("javascript_tool did not answer the facts: %s", display.Cut(result.Text(), excerpt))
	}
	f, err := p.facts(r.Needs)
	if err != nil {
		return nil, fmt.Errorf("javascript_tool did not answer all facts: %w: %s", err, display.Cut(result.Text(), excerpt))
	}
	if what := observer.BrowserPage(p.URL); what != "" {
		return nil, &NoPage{Why: "the tab shows " + what, URL: p.URL}
	}
	return f, nil
}

// facts returns the facts if the page has all that were asked for, and no others:
// OpenChrome 1.7.15 answers {} to code that it cannot handle.
func (p *page) facts(asked contract.Needs) (*contract.Facts, error) {
	if p.URL == "" {
		return nil, errors.New("no url")
	}
	f := &contract.Facts{URL: &p.URL, DOMCount: map[string]float64{}}
	known := map[string]bool{}
	failed := func(name string) bool {
		known[name] = true
		e := p.Errors[name]
		if e != nil {
			unavailable(f, name, *e)
		}
		return e != nil
	}
	if len(asked.Text) > 0 {
		f.DOMText = &contract.Text{Of: map[string]*string{}}
	}
	for _, s := range scriptStrings(asked.Text) {
		text, ok := p.Text[s] // null: nothing matches
		if ok == failed(contract.TextFact(s)) {
			return nil, fmt.Errorf("no text, or two answers, for %q", s)
		} else if ok {
			f.DOMText.Of[s] = text
		}
	}
	for _, s := range scriptStrings(asked.Count) {
		n := p.Count[s]
		if (n != nil) == failed(contract.CountFact(s)) {
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
			return nil, fmt.Errorf("an error for %q, which nobody asked for", name)
		}
	}
	return f, nil
}

// scriptStrings returns the strings as a script has them: with invalid UTF-8
// replaced.
func scriptStrings(list []string) []string {
	read := make([]string, len(list))
	for i, s := range list {
		read[i] = string([]rune(s))
	}
	return read
}

// inconclusiveMeta returns why a stand-in's answer cannot be used, such as a page
// that it cannot show faithfully. It is empty for OpenChrome.
func inconclusiveMeta(r event.Result) string {
	var v struct {
		Meta struct {
			Reason string `json:"standin/inconclusive"`
		} `json:"_meta"`
	}
	json.Unmarshal(r.Raw, &v)
	return v.Meta.Reason
}

// ReadURL returns the address of the tab's page.
func ReadURL(ctx context.Context, s Session, tabID string) (string, error) {
	r, err := callJSON(ctx, s, "javascript_tool", map[string]any{"tabId": tabID, "code": "location.href"})
	if err != nil {
		return "", err
	}
	return r.Text(), nil
}

// callJSON calls a tool for the harness; an error answer is an error.
func callJSON(ctx context.Context, s Session, tool string, args any) (event.Result, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return event.Result{}, err
	}
	r, err := s.Call(ctx, event.Call{Tool: tool, Args: raw})
	if err == nil && r.IsError() {
		err = fmt.Errorf("%s: %s", tool, display.Cut(r.Text(), excerpt))
	}
	return r, err
}

// excerpt is the most that a message repeats of an answer, in characters.
const excerpt = 200

func unavailable(f *contract.Facts, name, reason string) {
	if f.Unavailable == nil {
		f.Unavailable = map[string]string{}
	}
	f.Unavailable[name] = reason
}

func readNetwork(ctx context.Context, s Session, r FactsRequest, f *contract.Facts) {
	requests, err := s.Requests(ctx)
	if err != nil {
		unavailable(f, "network", err.Error())
		return
	}
	f.Network = []contract.Request{}
	for _, q := range requests { // all: a session whose log is known is fresh
		f.Network = append(f.Network, contract.Request{URL: q.URL, Status: float64(q.Status), TS: millis(q.Time)})
	}
	if r.Needs.SinceLastToolCall {
		f.LastToolCall = millis(r.Last)
	}
}

// millis is t in milliseconds, to the microsecond.
func millis(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }

// ask calls a tool for a fact, which is unavailable if there is no answer.
func ask(ctx context.Context, s Session, f *contract.Facts, name, tool string, args map[string]any) (r event.Result, ok bool) {
	err := fmt.Errorf("the server has no tool %s", tool)
	if Has(s, tool) {
		r, err = callJSON(ctx, s, tool, args)
	}
	if err != nil {
		unavailable(f, name, err.Error())
	}
	return r, err == nil
}

func readScreenshot(ctx context.Context, s Session, r FactsRequest, f *contract.Facts) {
	const name, tool = "screenshot", "page_screenshot"
	result, ok := ask(ctx, s, f, name, tool, map[string]any{"tabId": r.TabID, "format": "png"})
	if !ok {
		return
	}
	var v struct {
		Content []struct{ Type, Data, MimeType string }
	}
	json.Unmarshal(result.Raw, &v)
	for _, item := range v.Content {
		if item.Type == "image" && item.MimeType == "image/png" {
			f.ScreenshotPNG = item.Data
			return
		}
	}
	unavailable(f, name, tool+" gave no PNG image")
}

// readContractFacts appends the contract_facts that a tool's answer holds.
func readContractFacts(ctx context.Context, s Session, f *contract.Facts, name, tool string, args map[string]any) {
	result, ok := ask(ctx, s, f, name, tool, args)
	if !ok {
		return
	}
	var v struct {
		Facts []json.RawMessage `json:"contract_facts"`
	}
	if !result.JSON(&v) || v.Facts == nil {
		unavailable(f, name, "the server's "+tool+" gives no contract_facts")
		return
	}
	var all []json.RawMessage
	json.Unmarshal(f.ContractFacts, &all)
	f.ContractFacts, _ = json.Marshal(append(all, v.Facts...)) // both were read as JSON
}

// factsExpression builds the one JavaScript expression that reads the URL, the
// innerText of the first match of each text selector (null without a match) and
// the number of matches of each count selector. An invalid selector costs only
// its own fact, with the browser's message.
//
// OpenChrome 1.7.15 loses the value of code that holds a semicolon, a newline
// or the word return, also inside a string: so the expression has none, and
// selectors are written with all but letters, digits and a few marks escaped.
func factsExpression(texts, counts []string) string {
	const expression = `JSON.stringify(((o, read) => (` +
		`%s.forEach(s => read("dom_text " + s, () => { o.text[s] = (e => e ? e.innerText ?? null : null)(document.querySelector(s)) })), ` +
		`%s.forEach(s => read("dom_count " + s, () => { o.count[s] = document.querySelectorAll(s).length })), o))` +
		`(...(o => [o, (name, f) => { try { f() } catch (e) { o.errors[name] = e.message } }])` +
		`({url: location.href, text: Object.create(null), count: Object.create(null), errors: Object.create(null)})))`
	return fmt.Sprintf(expression, stringList(texts), stringList(counts))
}

// stringList writes a JavaScript array of strings without a character, or a
// word, that 1.7.15 trips over. Every letter r is escaped, which breaks up the
// word return.
func stringList(list []string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		for _, unit := range utf16.Encode([]rune(s)) {
			if plain(unit) {
				b.WriteByte(byte(unit))
			} else {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
		b.WriteByte('"')
	}
	b.WriteByte(']')
	return b.String()
}

func plain(u uint16) bool {
	return u < 0x80 && u != 'r' && (u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z' || u >= '0' && u <= '9' || strings.ContainsRune(" .#-_:>[]=()*", rune(u)))
}
