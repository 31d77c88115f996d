package judge

import (
	"fmt"
	"regexp"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
)

// Patterns are the fields of assertions that hold a pattern.
var Patterns = []string{"expected_pattern", "message_pattern", "pattern", "url_pattern"}

// maxPattern is OpenChrome's limit, in UTF-16 code units.
const maxPattern = 512

// checkPattern is OpenChrome's check for unsafe patterns. It returns the pattern, or the
// message of the fault.
func checkPattern(source string) (*jsregexp.Regexp, string) {
	if jsregexp.Length(source) > maxPattern {
		return nil, fmt.Sprintf("pattern exceeds %d chars", maxPattern)
	}
	if nestedQuantifier.MatchString(source) {
		return nil, "nested-quantifier shape (ReDoS risk)"
	}
	re, err := jsregexp.Parse(source)
	if err != nil {
		return nil, "invalid regex: " + err.Error()
	}
	return re, ""
}

// nestedQuantifier makes OpenChrome's three tests for nested quantifiers. They look only at
// the text of the source, so escaped and bracketed characters count too:
//
//	([+*])\1
//	\([^)]*[+*][^)]*\)\s*[+*]
//	\([^)]*\([^)]*[+*][^)]*\)[^)]*\)\s*[+*]
var nestedQuantifier = func() *regexp.Regexp {
	const then = `[\s\v\pZ\x{feff}]*[+*]` // begins with JavaScript's \s
	return regexp.MustCompile(`\+\+|\*\*|\([^)]*[+*][^)]*\)` + then + `|\([^)]*\([^)]*[+*][^)]*\)[^)]*\)` + then)
}()

// matches reports whether the pattern matches s. After one match that took too long all others
// of the judgement end at once. The error may be used in evidence.
func (j *judging) matches(re *jsregexp.Regexp, s string) (matched bool, err error) {
	if j.slow == nil {
		matched, j.slow = re.Match(s)
	}
	return matched, j.slow
}
