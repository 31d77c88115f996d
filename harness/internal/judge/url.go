package judge

import (
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
)

// url holds when a pattern matches the page's URL.
var urlKind = kind{
	name: "url", fields: []string{"kind", "pattern"}, fact: evidence.FactURL,
	read: func(a *assertion) leaf { return &pageURL{a.pattern("pattern")} },
	actual: func(d evidence.Details) any {
		url, _ := d.Get("url")
		return url
	},
}

type pageURL struct {
	pattern *jsregexp.Regexp
}

func (a *pageURL) judge(j *judging) (bool, evidence.Details) {
	url := ""
	if j.facts.URL != nil {
		url = *j.facts.URL
	}
	ok, err := j.matches(a.pattern, url)
	if err != nil {
		return false, failure(err)
	}
	return ok, evidence.Details{{Key: "url", Value: url}, {Key: "pattern", Value: a.pattern.String()}}
}

func (a *pageURL) want() string { return "the URL " + patternWords(a.pattern.String()) }

func (a *pageURL) got(d evidence.Details) string { return quote(d.Text("url")) }
