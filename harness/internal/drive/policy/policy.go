// Package policy carries out the intents of a task with the tools of a server. It is the same code
// for all servers: a [Profile] says by which calls a server does something.
//
//  1. profile.go reads a profile, call.go fills in the arguments of its calls.
//  2. page.go reads a page as the server shows it, and finds a target on it.
//  3. engine.go goes through the intents, look.go looks at the page, fields.go fills in fields.
//
// A policy is a fixed way to do it. With trust it believes each answer, and after an error it tries
// the next policy once. With check it takes only exact names and reads the fields again.
package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Prefix begins the values of -adapter that name policies.
const Prefix = "policy:"

// The policies.
const (
	bySubmit = "submit" // fills in and sends in one call, which names the button
	byForm   = "form"   // fills in all fields in one call, then presses
	byRef    = "ref"    // one call for each field, by reference
	byKeys   = "type"   // clicks a field and types
)

// names are all policies, in the order in which trust tries them.
var names = []string{bySubmit, byForm, byRef, byKeys}

// check is the suffix of a policy that checks.
const check = "+check"

// All is the name of all policies that a server has.
const All = "all"

// Policies reads a value of -adapter, such as policy:form,ref+check. left are the policies that the
// server does not have, if the value asks for all.
func (p *Profile) Policies(value string) (list, left []string, err error) {
	asked := strings.Split(strings.TrimPrefix(value, Prefix), ",")
	for _, name := range asked {
		base, _ := strings.CutSuffix(name, check)
		_, has := p.policies[base]
		switch {
		case name == All && len(asked) == 1:
			for _, n := range names {
				if _, has := p.policies[n]; has {
					list = append(list, n, n+check)
				} else {
					left = append(left, n)
				}
			}
		case !slices.Contains(names, base) || strings.Contains(base, "+"):
			return nil, nil, Unknown(name)
		case !has:
			return nil, nil, fmt.Errorf("-adapter: %s has no policy %s, because it has no such call", p.Server, base)
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
		display.Quote(name), strings.Join(names, ", "), check, All, display.DidYouMean(name, names))
}

// next is the policy that trust tries after an error, and by which check repairs a field.
func (p *Profile) next(name string) string {
	for _, n := range names[slices.Index(names, name)+1:] {
		if _, has := p.policies[n]; has {
			return n
		}
	}
	return byRef
}

// callsOf returns the calls by which a policy does what a verb says; nil: the server cannot.
func (p *Profile) callsOf(policy, verb string) []call {
	if own := p.policies[policy].calls[verb]; own != nil {
		return own
	}
	return p.calls[verb]
}
