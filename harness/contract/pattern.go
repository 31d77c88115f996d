package contract

import (
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/contract/jsregexp"
)

// maxPattern is OpenChrome's limit, in UTF-16 code units.
const maxPattern = 512

// patternSteps is what all patterns of one judgement share: some 200 ms. Patterns
// such as ((a)+)+$ pass OpenChrome's guard and take exponential time.
const patternSteps = 10_000_000

// checkPattern is OpenChrome's guard: it returns the pattern, or the message
// of the fault.
func checkPattern(source string) (*jsregexp.Regexp, string) {
	if utf16Len(source) > maxPattern {
		return nil, fmt.Sprintf("pattern exceeds %d chars", maxPattern)
	}
	if nestedQuantifier(source) {
		return nil, "nested-quantifier shape (ReDoS risk)"
	}
	re, err := jsregexp.Parse(source)
	if err != nil {
		return nil, "invalid regex: " + err.Error()
	}
	return re, ""
}

// nestedQuantifier reports whether one of OpenChrome's three probes matches
// the source. They look at its text alone, so escaped and bracketed
// characters count as well:
//
//	([+*])\1
//	\([^)]*[+*][^)]*\)\s*[+*]
//	\([^)]*\([^)]*[+*][^)]*\)[^)]*\)\s*[+*]
func nestedQuantifier(source string) bool {
	if strings.Contains(source, "++") || strings.Contains(source, "**") {
		return true
	}
	deep := false // ((…+…) has just been closed
	for rest := source; ; {
		part, after, ok := strings.Cut(rest, ")")
		if !ok {
			return false
		}
		if (deep || shallowShape(part)) && quantified(after) {
			return true
		}
		deep = deepShape(part)
		rest = after
	}
}

// shallowShape reports whether a parenthesis is opened in part, which has no
// closing one, and a quantifier stands behind it.
func shallowShape(part string) bool {
	_, inside, ok := strings.Cut(part, "(")
	return ok && strings.ContainsAny(inside, "+*")
}

func deepShape(part string) bool {
	_, inside, ok := strings.Cut(part, "(")
	return ok && shallowShape(inside)
}

// quantified reports whether s begins with a quantifier, after white space.
func quantified(s string) bool {
	s = strings.TrimLeftFunc(s, isJSSpace)
	return s != "" && (s[0] == '+' || s[0] == '*')
}

// matches reports whether the pattern matches s, within the judgement's budget.
// The error is fit for evidence.
func (j *judging) matches(re *jsregexp.Regexp, s string) (bool, error) {
	ok, err := re.Match(s, &j.budget)
	if err != nil {
		err = fmt.Errorf("the %d million steps that all patterns of one contract share ran out at /%s/; write a pattern that backtracks less",
			patternSteps/1_000_000, re)
	}
	return ok, err
}
