package observer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openchrome/bench/harness/contract"
)

// maxFacts is the size in bytes of the largest facts that we accept from a page, as JSON.
const maxFacts = 32 << 20

// primordials starts each of our scripts. In our world no built-in is overridden, but names
// in the page's HTML have an effect: <img name=querySelector> hides document.querySelector,
// and <input name=innerText> hides the innerText of its form. Getters and methods of the
// prototypes are not affected.
const primordials = `
const getter = (proto, name) => Object.getOwnPropertyDescriptor(proto, name).get;
const innerText = getter(HTMLElement.prototype, "innerText");
const readyState = getter(Document.prototype, "readyState");
const first = s => Document.prototype.querySelector.call(document, s);
const all = s => Document.prototype.querySelectorAll.call(document, s);
const textOf = e => e instanceof HTMLElement ? innerText.call(e) : null;
const visibleText = () => textOf(first("body")) ?? "";
`

// factsScript reads the URL, the innerText of the first match of each text selector (null
// without a match) and the number of matches of each count selector. It has no await, so
// the page cannot change while it runs. An invalid selector makes only its own fact
// unavailable, with the browser's message as the reason.
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
func (o *Observer) readPage(ctx context.Context, t *tab, n contract.Needs) (f *contract.Facts, loaded bool, err error) {
	var p pageFacts
	err = o.evaluate(ctx, t, fmt.Sprintf(factsScript, jsonText(n.Text), jsonText(n.Count), maxFacts), &p)
	switch {
	case p.TooLarge || errors.Is(err, errTooLarge):
		return nil, false, &NoPage{Why: errFactsTooLarge.Error(), URL: o.urlOf(t)}
	case err != nil:
		return nil, false, err
	case p.URL == "" || len(p.Text) != len(n.Text) || len(p.Count) != len(n.Count):
		return nil, false, errors.New("the browser did not return all facts")
	}
	if what := BrowserPage(p.URL); what != "" {
		return nil, false, &NoPage{Why: "the tab shows " + what, URL: p.URL}
	}
	f = &contract.Facts{URL: &p.URL, DOMCount: map[string]float64{}}
	if len(n.Text) > 0 {
		f.DOMText = &contract.Text{Of: map[string]*string{}}
	}
	for i, s := range n.Text {
		if a := p.Text[i]; a.Error != nil {
			f.SetUnavailable(contract.TextFact(s), *a.Error)
		} else {
			f.DOMText.Of[s] = a.Value
		}
	}
	for i, s := range n.Count {
		if a := p.Count[i]; a.Error != nil {
			f.SetUnavailable(contract.CountFact(s), *a.Error)
		} else {
			f.DOMCount[s] = a.Value
		}
	}
	return f, p.Loaded, nil
}

// jsonText writes a list as JSON, which is also valid JavaScript.
func jsonText(list []string) []byte {
	raw, _ := json.Marshal(append([]string{}, list...)) // an empty list is [] and not null
	return raw
}
