package judge

import (
	"slices"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
)

// Certain is an assertion with the same verdict on every page.
type Certain struct {
	Path    string // its JSON path, such as $.children.1
	Verdict Verdict
}

// Certain returns the assertions that are known to hold on every page, or on none, in order:
// of an assertion and its children only the assertion. It does not find all of them.
func (c *Contract) Certain() []Certain { return c.root.certain(nil) }

func (n *node) certain(found []Certain) []Certain {
	if v := n.constant(); v != "" {
		return append(found, Certain{n.path, v})
	}
	for _, child := range n.children {
		found = child.certain(found)
	}
	return found
}

// constant returns the verdict that n has on every page; "" if that depends on the page.
func (n *node) constant() Verdict {
	switch n.kind.name {
	case "not":
		return map[Verdict]Verdict{Pass: Fail, Fail: Pass}[n.children[0].constant()]
	case "and":
		return decided(n.children, Fail, Pass)
	case "or":
		return decided(n.children, Pass, Fail)
	}
	holds := false
	switch l := n.leaf.(type) {
	case *pageURL:
		holds = matchesAny(l.pattern)
	case *network: // step 0 makes a request
		holds = l.since == "contract_enter" && l.pattern != nil && matchesAny(l.pattern) && slices.Contains(l.statusIn, any(200.0))
	case *domCount:
		holds = l.op == "gte" && l.value == 0
	}
	if holds {
		return Pass
	}
	return ""
}

// decided returns one if any child always has this verdict, and all if all children always
// have that one.
func decided(children []*node, one, all Verdict) Verdict {
	every := len(children) > 0
	for _, child := range children {
		v := child.constant()
		if v == one {
			return one
		}
		every = every && v == all
	}
	if every {
		return all
	}
	return ""
}

// strangers are URLs that have little in common. No task uses their hosts.
var strangers = []string{"https://q.zx/", "https://w-v.kk/j/7y.z?u=o#m"}

// matchesAny reports whether the pattern matches URLs of any site.
func matchesAny(re *jsregexp.Regexp) bool {
	return !slices.ContainsFunc(strangers, func(url string) bool {
		ok, err := re.Match(url)
		return !ok || err != nil
	})
}
