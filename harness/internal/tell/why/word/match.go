package word

import (
	"github.com/openchrome/bench/harness/internal/record"
	"iter"
	"slices"
	"strings"
	"unicode"
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
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return len(want) > 0
}

func squash(s string) string { return strings.Join(strings.Fields(s), " ") }

// match returns how well an element answers to the target of an ask.
func (a *ask) match(c *record.Control) level {
	if c == nil {
		return none
	}
	switch {
	case a.query != "":
		return answersTo(c, a.query)
	case a.node != nil && a.node.ID == c.ID:
		return exact
	case a.node != nil:
		return none
	case a.target == nil:
		return none
	case a.target.id != "":
		if slices.Contains(c.Also, a.target.id) {
			return exact
		}
		return none
	case a.target.field != "":
		if c.Field == a.target.field && (a.target.value == "" || a.target.value == c.Raw || c.Raw == "") {
			return exact
		}
		return none
	}
	if l := answersTo(c, a.target.name); l >= same {
		return l
	}
	return none
}

func answersTo(c *record.Control, query string) level {
	q := squash(query)
	if q == "" {
		return none
	}
	best := none
	names := append([]string{c.Name, c.Field}, c.Also...)
	for _, name := range names {
		for _, name := range []string{name, name + " " + c.Role} {
			switch name = squash(name); {
			case name == q:
				best = exact
			case len(split(q)) > 0 && slices.Equal(split(name), split(q)):
				best = max(best, same)
			}
		}
	}
	if best > none {
		return best
	}
	all := append(split(strings.Join(names, " ")), split(c.Role)...)
	switch want := split(q); {
	case contains(all, want):
		return words
	case c.Name != "" && c.Role != "option" && contains(append(all, split(c.Place)...), want): // of options, the place names the others
		return place
	}
	return none
}
