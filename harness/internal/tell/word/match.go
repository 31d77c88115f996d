package word

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/openchrome/bench/harness/internal/record"
)

// level says how well an element answers to a name.
type level int

const (
	none  level = iota
	place       // only with the words of the place where it stands
	words       // its names have all the words
	same        // one of its names is this name, but for letter case
	exact
)

func split(s string) []string { return slices.Collect(each(s)) }

func each(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// says is contains for an answer, which may have millions of words.
func says(answer string, want []string) bool {
	missing := slices.Clone(want)
	for w := range each(answer) {
		if len(missing) == 0 {
			break
		}
		missing = slices.DeleteFunc(missing, func(m string) bool { return m == w })
	}
	return len(want) > 0 && len(missing) == 0
}

func contains(have, want []string) bool {
	isMissing := func(w string) bool { return !slices.Contains(have, w) }
	return len(want) > 0 && !slices.ContainsFunc(want, isMissing)
}

func squash(s string) string { return strings.Join(strings.Fields(s), " ") }

// match returns how well an element answers to the target of an ask.
func (a *ask) match(c *record.Control) level {
	isTarget := false
	switch t := a.target; {
	case c == nil:
	case a.query != "":
		return answersTo(c, a.query)
	case a.node != nil:
		isTarget = a.node.ID == c.ID
	case t == nil:
	case t.id != "":
		isTarget = slices.Contains(c.Also, t.id)
	case t.field != "":
		isTarget = c.Field == t.field && (t.value == "" || t.value == c.Raw || c.Raw == "")
	default:
		if l := answersTo(c, t.name); l >= same {
			return l
		}
	}
	if isTarget {
		return exact
	}
	return none
}

func answersTo(c *record.Control, query string) level {
	query = squash(query)
	want := split(query)
	best := none
	names := append([]string{c.Name, c.Field}, c.Also...)
	for _, name := range names {
		for _, name := range []string{squash(name), squash(name + " " + c.Role)} {
			switch {
			case query != "" && name == query:
				return exact
			case len(want) > 0 && slices.Equal(split(name), want):
				best = same
			}
		}
	}
	all := append(split(strings.Join(names, " ")), split(c.Role)...)
	switch {
	case best > none:
		return best
	case contains(all, want):
		return words
	case c.Name != "" && c.Role != "option" && contains(append(all, split(c.Place)...), want): // of options, the place names the others
		return place
	}
	return none
}
