package observer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// maxFacts is the size in bytes of the largest facts that we accept from a page, as JSON.
const maxFacts = 32 << 20

// factsScript reads the URL, the innerText of the first match of each text selector (null
// without a match) and the number of matches of each count selector. It has no await, so
// the page cannot change while it runs. An invalid selector makes only its own fact
// unavailable, with the browser's message as the reason.
const factsScript = `((texts, counts, max) => {` + primordials + `
const attempt = f => { try { return '{"value":' + json(f()) + "}" } catch (e) { return '{"error":' + json(call("get message", e)) + "}" } };
const list = (selectors, f) => {
	let all = "";
	for (let i = 0; i < selectors.length; i++) all += (i ? "," : "") + attempt(() => f(selectors[i]));
	return "[" + all + "]";
};
const facts = '{"url":' + json(location.href) +
	',"loaded":' + (call("get readyState", document) === "complete") +
	',"text":' + list(texts, s => textOf(first(s))) +
	',"count":' + list(counts, s => call("get length", call("querySelectorAll", document, s))) + "}";
return facts.length > max ? '{"tooLarge":true}' : facts;
})(%s, %s, %d)`

// pageFacts is the value of [factsScript]. Text and Count are in the order of the selectors.
type pageFacts struct {
	URL      string             `json:"url"`
	Loaded   bool               `json:"loaded"`
	Text     []attempt[*string] `json:"text"`
	Count    []attempt[float64] `json:"count"`
	TooLarge bool               `json:"tooLarge"`
}

type attempt[T any] struct {
	Value T       `json:"value"`
	Error *string `json:"error"`
}

var errFactsTooLarge = fmt.Errorf("its facts are too large: the answer is larger than %d MiB", maxFacts>>20)

// readPage reads the facts that come from a page's document.
func (o *Observer) readPage(ctx context.Context, t *tab, n judge.Needs) (f *evidence.Facts, loaded bool, err error) {
	var p pageFacts
	for {
		err = o.evaluate(ctx, t, fmt.Sprintf(factsScript, jsonText(n.Text), jsonText(n.Count), maxFacts), &p)
		// Within its origin a page may choose any URL.
		if err != nil || p.TooLarge || originOf(p.URL) == originOf(o.URL(string(t.id))) {
			break
		}
		// The tab went to another site after the reading.
		if err := pause(ctx); err != nil {
			return nil, false, err
		}
		p = pageFacts{}
	}
	switch {
	case p.TooLarge || errors.Is(err, devtools.ErrTooLarge):
		return nil, false, &NoPage{Why: errFactsTooLarge.Error(), URL: o.URL(string(t.id))}
	case err != nil:
		return nil, false, err
	case p.URL == "" || len(p.Text) != len(n.Text) || len(p.Count) != len(n.Count):
		return nil, false, errors.New("the browser did not return all facts")
	}
	if what := BrowserPage(p.URL); what != "" {
		return nil, false, &NoPage{Why: "the tab shows " + what, Off: true, URL: p.URL}
	}
	f = &evidence.Facts{URL: &p.URL, DOMCount: map[string]float64{}}
	if len(n.Text) > 0 {
		f.DOMText = &evidence.Text{Of: map[string]*string{}}
	}
	for i, s := range n.Text {
		if a := p.Text[i]; a.Error != nil {
			f.SetUnavailable(evidence.TextFact(s), *a.Error)
		} else {
			f.DOMText.Of[s] = a.Value
		}
	}
	for i, s := range n.Count {
		if a := p.Count[i]; a.Error != nil {
			f.SetUnavailable(evidence.CountFact(s), *a.Error)
		} else {
			f.DOMCount[s] = a.Value
		}
	}
	return f, p.Loaded, nil
}

// originOf returns the scheme, host and port of a URL; the scheme alone if it has no host.
func originOf(url string) string {
	scheme, rest, _ := strings.Cut(url, ":")
	rest, hasHost := strings.CutPrefix(rest, "//")
	if !hasHost {
		return scheme
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:] // without a user's name
}

// jsonText writes a list as JSON, which is also valid JavaScript.
func jsonText(list []string) []byte {
	raw, _ := json.Marshal(append([]string{}, list...)) // an empty list is [] and not null
	return raw
}
