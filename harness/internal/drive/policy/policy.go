// Package policy carries out the intents of a task with the tools of a server. It is the same code
// for all servers: the description of a server says by which calls it does something.
//
//  1. page.go reads a page as the server shows it, and finds a target on it.
//  2. engine.go goes through the intents, look.go looks at the page, fields.go fills in fields.
//
// A policy is a fixed way to do it. With trust it believes each answer, and after an error it tries
// the next policy once. With check it takes only exact names and reads the fields again.
package policy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Prefix begins the values of -adapter that name policies.
const Prefix = "policy:"

// check is the suffix of a policy that checks.
const check = "+check"

// All is the name of all policies that a server has.
const All = "all"

// Policies reads a value of -adapter, such as policy:form,ref+check. left are the policies that the
// server does not have, if the value asks for all.
func Policies(p *server.Server, value string) (list, left []string, err error) {
	asked := strings.Split(strings.TrimPrefix(value, Prefix), ",")
	for _, name := range asked {
		base, _ := strings.CutSuffix(name, check)
		_, has := p.Policies[base]
		switch {
		case name == All && len(asked) == 1:
			for _, n := range server.PolicyNames {
				if _, has := p.Policies[n]; has {
					list = append(list, n, n+check)
				} else {
					left = append(left, n)
				}
			}
		case !slices.Contains(server.PolicyNames, base) || strings.Contains(base, "+"):
			return nil, nil, Unknown(name)
		case !has:
			return nil, nil, fmt.Errorf("-adapter: %s has no policy %s, because it has no such call", p.Name, base)
		case slices.Contains(list, name):
			return nil, nil, fmt.Errorf("-adapter: names %s twice; remove one", name)
		default:
			list = append(list, name)
		}
	}
	return list, left, nil
}

// Unknown is the error of a value that names no policy.
func Unknown(name string) error {
	return fmt.Errorf("-adapter: there is no policy %s; want policy:NAMES with %s, each also with %s, separated by commas; or policy:%s%s",
		display.Quote(name), strings.Join(server.PolicyNames, ", "), check, All, display.DidYouMean(name, server.PolicyNames))
}

// after is the policy that trust tries after an error, and by which check repairs a field.
func after(p *server.Server, name string) string {
	for _, n := range server.PolicyNames[slices.Index(server.PolicyNames, name)+1:] {
		if _, has := p.Policies[n]; has {
			return n
		}
	}
	return server.ByRef
}

// Look returns the call that reads the page of a tab.
func Look(s *server.Server, tab string) adapter.Call {
	return s.Page.Call.With(server.Values{"tab": cmp.Or(s.Tabs.First, tab)}, nil)
}

// EveryControl is the address of a page of the fixture web with a control of each kind.
const EveryControl = "https://every-control.test/"

// Unread returns what an answer does not show, as the description of its server reads it, of the page at
// [EveryControl].
func Unread(ctx context.Context, s *server.Server, answer adapter.Result) (missing []string) {
	items := parse(ctx, s.Page, answer.Text())
	for _, in := range []intent.Intent{
		{Verb: intent.Press, Text: "A link"}, {Verb: intent.Press, Text: "A button"}, {Verb: intent.Fill, Text: "A field"},
		{Verb: intent.Fill, Text: "A note"}, {Verb: intent.Choose, Text: "A list"}, {Verb: intent.Check, Text: "A box"},
		{Verb: intent.Check, Text: "A choice"},
	} {
		if find(items, in, in.Text, false) >= 0 {
			continue
		}
		what := words(in)
		if i := slices.IndexFunc(items, func(it item) bool { return it.name == in.Text && it.role != "" }); i >= 0 {
			what += fmt.Sprintf(" (its role there is %s)", display.Quote(items[i].role))
		}
		missing = append(missing, what)
	}
	return missing
}

// Presses returns the calls that press the links and buttons on a page, by the answer that shows it.
func Presses(ctx context.Context, s *server.Server, tab, answer string) (calls []adapter.Call) {
	list := callsOf(s, server.ByForm, "press")
	for _, it := range parse(ctx, s.Page, answer) {
		byWords := says(list, intent.Intent{}, item{})
		if (it.role == "link" || it.role == "button") && it.ref != "" && (it.name != "" || !byWords) && len(list) > 0 {
			v := server.Values{"tab": cmp.Or(s.Tabs.First, tab), "ref": it.ref, "name": it.name, "text": it.name}
			calls = append(calls, list[0].With(v, nil))
		}
	}
	return calls
}

// callsOf returns the calls by which a policy does what a verb says; nil: the server cannot.
func callsOf(p *server.Server, policy, verb string) []server.Call {
	if own := p.Policies[policy].Calls[verb]; own != nil {
		return own
	}
	return p.Calls[verb]
}
