package jsregexp

import (
	"errors"
	"slices"
)

// ErrBudget is returned when a [Budget] is used up.
var ErrBudget = errors.New("step budget used up")

// Regexp is a JavaScript regular expression. It is safe for concurrent use.
type Regexp struct {
	source string
	match  matcher
	lead   *class // see parser
	regs   int    // registers that match uses
	fold   bool   // letters match in either case
}

// Parse reads a pattern. An error has the message of the SyntaxError that V8
// throws. Parse recurses into groups: the caller bounds the length of source.
func Parse(source string) (re *Regexp, err error) {
	p := &parser{src: Units(make([]rune, 0, len(source)), source)}
	defer func() {
		if reason, ok := recover().(string); ok {
			re, err = nil, errors.New("Invalid regular expression: /"+source+"/: "+reason)
		}
	}()
	match := p.pattern()(accept)
	return &Regexp{source: source, match: match, lead: p.lead, regs: p.regs}, nil
}

// IgnoringCase returns the pattern with the flag i, except that a
// back-reference still minds the case.
func (re *Regexp) IgnoringCase() *Regexp {
	folded := *re
	folded.fold = true
	return &folded
}

// String returns the source.
func (re *Regexp) String() string { return re.source }

// Budget is the number of steps that are left for all matches that share it. A step takes
// about 20 ns, and most patterns need a few steps for each unit of the string. The number
// of steps depends only on the pattern and the string. The zero value has no steps. A
// Budget also keeps memory for its next match. It is not safe for concurrent use.
type Budget struct {
	Steps int

	units []rune // code units of the string
	fold  bool
	regs  []int // two for each group, then two for each loop; -1 is unset
	kept  []int // saved registers, to restore them
	depth int   // depth of the Go stack, in nodes
}

// Match reports whether the pattern matches anywhere in s. The only error is
// [ErrBudget].
func (re *Regexp) Match(s string, b *Budget) (bool, error) {
	b.units, b.fold, b.depth = Units(b.units[:0], s), re.fold, 0
	b.kept = b.kept[:0]
	b.regs = slices.Grow(b.regs[:0], re.regs)[:re.regs]
	for i := range b.regs {
		b.regs[i] = -1
	}
	matched := false
	for start := 0; start <= len(b.units) && !matched && b.step(); start++ {
		matched = re.match(b, start)
		for re.lead != nil && !matched && re.lead.takes(b, start) {
			start++ // every end of the run has been tried
		}
	}
	if b.Steps <= 0 {
		return false, ErrBudget
	}
	return matched, nil
}
