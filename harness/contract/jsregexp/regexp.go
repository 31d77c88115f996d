package jsregexp

import (
	"errors"
	"slices"
)

// ErrBudget is returned when a [Budget] is used up.
var ErrBudget = errors.New("step budget used up")

// SyntaxError says why a source is no JavaScript regular expression.
type SyntaxError struct {
	Source string // the pattern
	Reason string // V8's words, such as "Unterminated group"
}

// Error gives the message of the SyntaxError that V8 throws.
func (e *SyntaxError) Error() string {
	return "Invalid regular expression: /" + e.Source + "/: " + e.Reason
}

// Regexp is a JavaScript regular expression. It is safe for concurrent use.
type Regexp struct {
	source string
	match  matcher
	lead   lead
	regs   int  // registers that match uses
	fold   bool // letters match in either case
}

// Parse reads a pattern. An error is a [*SyntaxError]. It recurses into groups:
// the caller bounds the length of source.
func Parse(source string) (re *Regexp, err error) {
	p := &parser{src: Units(make([]rune, 0, len(source)), source)}
	defer func() {
		if reason, ok := recover().(string); ok {
			re, err = nil, &SyntaxError{Source: source, Reason: reason}
		}
	}()
	match := p.pattern()(accept)
	return &Regexp{source: source, match: match, lead: p.lead, regs: p.regs}, nil
}

// lead is what every match begins with, as far as it spares trying in vain.
type lead struct {
	anchored bool   // the start of the string
	class    *class // a unit of this class; nil: anything
	run      bool   // or rather, as many of the class as there are
}

// next returns the position to try after start has failed.
func (l lead) next(b *Budget, start int) int {
	if l.anchored {
		return len(b.units) + 1
	}
	if l.class == nil {
		return start + 1
	}
	from := start
	if l.run { // each end of the run was tried
		for l.class.takes(b, start) {
			start++
		}
		start++
	} else {
		for start++; start < len(b.units) && !l.class.takes(b, start); {
			start++
		}
	}
	b.Steps -= (start - from) / 8
	return start
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

// Budget is what matches that share it may still take together, in steps. A
// step takes some 20 ns, and most patterns take a few steps for each unit of
// the string. How many depends on the pattern and the string alone. The zero
// value has none left. A Budget also keeps memory for its next match; it is not
// safe for concurrent use.
type Budget struct {
	Steps int

	units []rune // of the string
	fold  bool
	regs  []int // two for each group, then two for each loop; -1 is unset
	kept  []int // registers to go back to
	depth int   // of the Go stack, in nodes
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
	for start := 0; start <= len(b.units) && !matched && b.step(); start = re.lead.next(b, start) {
		matched = re.match(b, start)
	}
	if b.Steps <= 0 {
		return false, ErrBudget
	}
	return matched, nil
}
