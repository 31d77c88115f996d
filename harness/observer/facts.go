package observer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openchrome/bench/harness/contract"
)

// maxFacts is the size in bytes of the largest facts that we take from a page, as JSON.
const maxFacts = 32 << 20

// primordials starts each of our scripts. In our world no built-in is overridden, but
// names in the page's HTML reach it: <img name=querySelector> hides document's own, and
// <input name=innerText> its form's. Getters and methods of the prototypes see past them.
const primordials = `
const getter = (proto, name) => Object.getOwnPropertyDescriptor(proto, name).get;
const innerText = getter(HTMLElement.prototype, "innerText");
const readyState = getter(Document.prototype, "readyState");
const first = s => Document.prototype.querySelector.call(document, s);
const all = s => Document.prototype.querySelectorAll.call(document, s);
const textOf = e => e instanceof HTMLElement ? innerText.call(e) : null;
`

// factsScript reads the URL, the innerText of the first match of each text selector
// (null without a match) and the number of matches of each count selector. It has no
// await, so the page cannot change while it runs. An invalid selector costs only its own
// fact, with the browser's message.
const factsScript = `((texts, counts, max) => {` + primordials + `
const attempt = f => { try { return {value: f()} } catch (e) { return {error: e.message} } };
const facts = JSON.stringify({
	url: location.href,
	loaded: readyState.call(document) === "complete",
	text: texts.map(s => attempt(() => textOf(first(s)))),
	count: counts.map(s => attempt(() => all(s).length)),
});
return facts.length > max ? '{"tooLarge":true}' : facts;
})(%s, %s, %d)`

// page is the value of [factsScript]. Text and Count are in the order of the selectors.
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

// readPage reads the facts that a page's document holds.
func (o *Observer) readPage(ctx context.Context, t *tab, n contract.Needs) (f *contract.Facts, loaded bool, err error) {
	texts, counts := valid(n.Text), valid(n.Count)
	var p pageFacts
	err = o.evaluate(ctx, t, fmt.Sprintf(factsScript, jsonText(texts), jsonText(counts), maxFacts), &p)
	switch {
	case p.TooLarge || errors.Is(err, errTooLarge):
		return nil, false, &NoPage{Why: errFactsTooLarge.Error(), URL: o.urlOf(t)}
	case err != nil:
		return nil, false, err
	case p.URL == "" || len(p.Text) != len(texts) || len(p.Count) != len(counts):
		return nil, false, errors.New("the browser did not answer all facts")
	}
	if what := BrowserPage(p.URL); what != "" {
		return nil, false, &NoPage{Why: "the tab shows " + what, URL: p.URL}
	}
	f = &contract.Facts{URL: &p.URL, DOMCount: map[string]float64{}}
	if len(texts) > 0 {
		f.DOMText = &contract.Text{Of: map[string]*string{}}
	}
	for i, s := range texts {
		if a := p.Text[i]; a.Error != nil {
			unavailable(f, contract.TextFact(s), *a.Error)
		} else {
			f.DOMText.Of[s] = a.Value
		}
	}
	for i, s := range counts {
		if a := p.Count[i]; a.Error != nil {
			unavailable(f, contract.CountFact(s), *a.Error)
		} else {
			f.DOMCount[s] = a.Value
		}
	}
	return f, p.Loaded, nil
}

func unavailable(f *contract.Facts, name, reason string) {
	if f.Unavailable == nil {
		f.Unavailable = map[string]string{}
	}
	f.Unavailable[name] = reason
}

// valid returns the strings as a script has them: with invalid UTF-8 replaced.
func valid(list []string) []string {
	read := make([]string, len(list))
	for i, s := range list {
		read[i] = string([]rune(s))
	}
	return read
}

// jsonText writes a list as JSON, which is JavaScript too.
func jsonText(list []string) []byte {
	raw, _ := json.Marshal(list) // strings always have a JSON
	return raw
}
