package contract

import "github.com/openchrome/bench/harness/contract/jsregexp"

// pageURL holds when a pattern matches the page's URL.
type pageURL struct {
	pattern *jsregexp.Regexp
}

func parseURL(p *parser, o Details, path string) leaf {
	source, ok := p.str(o, "pattern", path)
	if !ok {
		return nil
	}
	re, fault := checkPattern(source)
	if fault != "" {
		p.fault(path+".pattern", fault)
		return nil
	}
	return &pageURL{re}
}

func (a *pageURL) need(n *Needs) { n.URL = true }

func (a *pageURL) judge(j *judging) (bool, Details) {
	if d := j.unavailable(FactURL); d != nil {
		return false, d
	}
	url := ""
	if j.facts.URL != nil {
		url = *j.facts.URL
	}
	ok, err := j.matches(a.pattern, url)
	if err != nil {
		return false, failure(err)
	}
	return ok, Details{{"url", url}, {"pattern", a.pattern.String()}}
}

func (a *pageURL) expected() Details { return Details{{"pattern", a.pattern.String()}} }

func (a *pageURL) actual(d Details) any {
	url, _ := d.Get("url")
	return url
}

func (a *pageURL) want() string { return "the URL matches /" + clean(a.pattern.String()) + "/" }

func (a *pageURL) got(d Details) string { return quote(d.text("url")) }
