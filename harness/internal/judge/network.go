package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// network holds if a request to the URL was answered with one of the statuses. The URL is a
// pattern, or a plain substring if it is not a valid pattern. OpenChrome ignores "since"
// when it judges a snapshot; we apply it if [evidence.Facts.LastToolCall] is set.
var networkKind = kind{
	name: "network", fields: []string{"kind", "url_pattern", "status_in", "since"}, fact: evidence.FactNetwork,
	read: readNetwork,
}

type network struct {
	urlPattern string
	pattern    *jsregexp.Regexp // nil: urlPattern is a substring
	statusIn   []any            // numbers, as written
	since      string
}

func readNetwork(a *assertion) leaf {
	n := &network{urlPattern: a.text("url_pattern")}
	if !a.bad {
		var fault string
		n.pattern, fault = checkPattern(n.urlPattern)
		if fault != "" && (jsregexp.Length(n.urlPattern) > maxPattern || isRegexp(n.urlPattern)) {
			a.fault("url_pattern", a.o.Get("url_pattern"), slip{message: fault})
			a.stop()
		}
	}
	n.since = a.oneOf("since", "contract_enter", "last_tool_call")
	a.of = n.since
	a.stop()
	list := a.get("status_in", jsonfile.Array, "a non-empty array", filled)
	a.stop()
	for i, v := range list.Items {
		status := 0.0
		if v.Kind == jsonfile.Number {
			status = v.Float()
		}
		if !evidence.IsInteger(status) || status < 100 || status >= 600 {
			a.fault("status_in."+strconv.Itoa(i), v, expected("an HTTP status integer in [100,599]"))
			a.stop()
			continue
		}
		n.statusIn = append(n.statusIn, status)
	}
	return n
}

// Asks reports whether the contract asks for a request to this URL, by a network assertion that is
// not below a not.
func (c *Contract) Asks(url string) bool {
	var asks func(n *node) bool
	asks = func(n *node) bool {
		if l, ok := n.leaf.(*network); ok {
			sent := evidence.Request{URL: url, Status: l.statusIn[0].(float64)}
			return verdictOf(newJudging(Input{Facts: &evidence.Facts{Network: []evidence.Request{sent}}}).node(n)) == Pass
		}
		return n.kind.name != "not" && slices.ContainsFunc(n.children, asks)
	}
	return asks(c.root)
}

// isRegexp reports whether the source compiles, even if it is unsafe.
func isRegexp(source string) bool {
	_, err := jsregexp.Parse(source)
	return err == nil
}

func (a *network) judge(j *judging) (bool, evidence.Details) {
	match := func(url string) (bool, error) { return strings.Contains(url, a.urlPattern), nil }
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
		// OpenChrome checks the URL first, but the status is cheaper to check.
		if !slices.Contains(a.statusIn, any(r.Status)) {
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
		last = nil // OpenChrome does not count an empty URL as a last match
		if r.URL != "" {
			last = evidence.Details{{Key: "url", Value: r.URL}, {Key: "status", Value: r.Status}}
		}
	}
	d := evidence.Details{
		{Key: "url_pattern", Value: a.urlPattern},
		{Key: "status_in", Value: a.statusIn},
		{Key: "since", Value: a.since},
		{Key: "matched_count", Value: float64(matched)},
		{Key: "scanned_count", Value: float64(scanned)},
		{Key: "last_match", Value: last},
	}
	if matched == 0 && j.facts.NetworkFull {
		// A later request may be the one. Where that would help the session, it does not count.
		return j.negated, append(d, evidence.Detail{Key: evidence.LogFull, Value: true})
	}
	return matched > 0, d
}

func (a *network) want() string {
	how := "contains " + quote(a.urlPattern)
	if a.pattern != nil {
		how = patternWords(a.urlPattern)
	}
	var statuses []string
	for _, s := range a.statusIn {
		statuses = append(statuses, evidence.JSON(s))
	}
	return fmt.Sprintf("a request whose URL %s is answered with %s", how, strings.Join(statuses, " or "))
}

func (a *network) got(d evidence.Details) string {
	text := fmt.Sprintf("%s of %s requests", d.JSON("matched_count"), d.JSON("scanned_count"))
	if _, full := d.Get(evidence.LogFull); full {
		text += "; the log was full, so later requests are unknown"
	}
	return text
}
