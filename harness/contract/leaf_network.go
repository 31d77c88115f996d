package contract

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/contract/jsregexp"
)

// network holds when a request went to a URL and was answered with one of
// the statuses. The URL is a pattern, or a plain substring when it is no
// valid pattern. OpenChrome ignores since when it judges a snapshot; here
// [Facts.LastToolCall] honours it.
type network struct {
	urlPattern string
	pattern    *jsregexp.Regexp // nil: urlPattern is a substring
	statusIn   []any            // numbers, as written
	wanted     [600]bool        // by status
	since      string
}

func parseNetwork(p *parser, o Details, path string) leaf {
	a := &network{}
	var ok bool
	if a.urlPattern, ok = p.str(o, "url_pattern", path); ok {
		re, fault := checkPattern(a.urlPattern)
		switch {
		case fault == "":
			a.pattern = re
		case utf16Len(a.urlPattern) > maxPattern || isRegexp(a.urlPattern):
			p.fault(path+".url_pattern", fault)
			return nil
		}
	}
	since, _ := o.Get("since")
	a.since, _ = since.(string)
	if a.since != "contract_enter" && a.since != "last_tool_call" {
		p.fault(path+".since", "expected one of contract_enter|last_tool_call")
		return nil
	}
	v, _ := o.Get("status_in")
	list, _ := v.([]any)
	if len(list) == 0 {
		p.fault(path+".status_in", "expected non-empty array")
		return nil
	}
	for i, v := range list {
		status, ok := v.(float64)
		if !ok || !isInteger(status) || status < 100 || status >= 600 {
			p.fault(path+".status_in."+strconv.Itoa(i), "expected HTTP status integer in [100,599]")
			return nil
		}
		a.wanted[int(status)] = true
	}
	a.statusIn = list
	return a
}

// isRegexp reports whether the source compiles, unsafe or not.
func isRegexp(source string) bool {
	_, err := jsregexp.Parse(source)
	return err == nil
}

func (a *network) need(n *Needs) {
	n.Network = true
	n.SinceLastToolCall = n.SinceLastToolCall || a.since == "last_tool_call"
}

func (a *network) judge(j *judging) (bool, Details) {
	if d := j.unavailable(FactNetwork); d != nil {
		return false, d
	}
	match := func(url string) (bool, error) { return includes(url, a.urlPattern), nil }
	if a.pattern != nil {
		match = func(url string) (bool, error) { return j.matches(a.pattern, url) }
	}
	matched, scanned := 0, 0
	var last any
	for _, r := range j.facts.Network {
		if a.since == "last_tool_call" && r.TS < j.facts.LastToolCall {
			continue
		}
		scanned++
		// OpenChrome looks at the URL first, but the status costs nothing.
		if !a.wants(r.Status) {
			continue
		}
		if j.work += len(r.URL); j.work > maxWork {
			return false, failure(errTooMuch)
		}
		ok, err := match(r.URL)
		if err != nil {
			return false, failure(err)
		}
		if !ok {
			continue
		}
		matched++
		last = nil // an empty URL is no last match to OpenChrome
		if r.URL != "" {
			last = Details{{"url", r.URL}, {"status", r.Status}}
		}
	}
	return matched > 0, Details{
		{"url_pattern", a.urlPattern},
		{"status_in", a.statusIn},
		{"since", a.since},
		{"matched_count", float64(matched)},
		{"scanned_count", float64(scanned)},
		{"last_match", last},
	}
}

func (a *network) wants(status float64) bool {
	return status >= 100 && status < 600 && isInteger(status) && a.wanted[int(status)]
}

func (a *network) expected() Details {
	return Details{{"url_pattern", a.urlPattern}, {"status_in", a.statusIn}, {"since", a.since}}
}

func (a *network) actual(d Details) any { return d }

func (a *network) want() string {
	how := "contains " + quote(a.urlPattern)
	if a.pattern != nil {
		how = "matches /" + clean(a.urlPattern) + "/"
	}
	var statuses []string
	for _, s := range a.statusIn {
		statuses = append(statuses, jsString(s))
	}
	return fmt.Sprintf("a request whose URL %s is answered with %s", how, strings.Join(statuses, " or "))
}

func (a *network) got(d Details) string {
	matched, _ := d.Get("matched_count")
	scanned, _ := d.Get("scanned_count")
	return fmt.Sprintf("%s of %s requests", jsString(matched), jsString(scanned))
}
