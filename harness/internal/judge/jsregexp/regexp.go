// Package jsregexp matches JavaScript regular expressions written without flags, as
// new RegExp(source) of Node 20 understands them: ECMAScript with Annex B, over UTF-16 code
// units. The engine is github.com/dlclark/regexp2; see ../testdata/regexp.jsonl for what Node
// answers.
//
// Strings are WTF-8: UTF-8 in which a lone surrogate may stand as its three bytes.
package jsregexp

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

// Regexp is a JavaScript regular expression. It is safe for concurrent use.
type Regexp struct {
	source string
	match  *regexp2.Regexp
}

// matchLimit bounds one match. What people write takes microseconds. A pattern such as
// ((a)+)+$ takes exponential time.
const matchLimit = 2 * time.Second

// The engine's clock begins here: one that begins in a bubble of synctest would never end.
func init() {
	always := regexp2.MustCompile("", regexp2.ECMAScript)
	always.MatchTimeout = 100 * 365 * 24 * time.Hour
	always.MatchString("") // cannot fail
}

var (
	// foreign are groups that other languages have, and that the engine takes.
	foreign = regexp.MustCompile(`(?s)^(?:[^\\[]|\\.|\[(?:[^\\\]]|\\.)*\])*?\(\?[^:=!<]`)
	half    = regexp.MustCompile(`(?i)\\ud[89a-f]`) // of a character beyond U+FFFF
)

// Parse reads a pattern. The caller bounds the length of source.
func Parse(source string) (*Regexp, error) {
	var b strings.Builder
	for _, u := range Units(nil, source) {
		if utf16.IsSurrogate(u) {
			fmt.Fprintf(&b, `\u%04x`, u)
		} else {
			b.WriteRune(u)
		}
	}
	units := b.String()
	if foreign.MatchString(units) {
		return nil, fmt.Errorf("/%s/: invalid group", source)
	}
	match, err := regexp2.Compile(units, regexp2.ECMAScript)
	if err == nil && half.MatchString(units) {
		// The engine's search for a first character does not find halves; this leaves no first one.
		match, err = regexp2.Compile(`\x00?(?:`+units+`)`, regexp2.ECMAScript)
	}
	if fault, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, fmt.Errorf("/%s/: %s", source, fault.Code)
	}
	if err != nil {
		return nil, fmt.Errorf("/%s/: %w", source, err)
	}
	match.MatchTimeout = matchLimit
	return &Regexp{source, match}, nil
}

// String returns the source.
func (re *Regexp) String() string { return re.source }

// Match reports whether the pattern matches anywhere in s. An error says that the match took
// too long.
func (re *Regexp) Match(s string) (bool, error) {
	matched, err := re.match.MatchRunes(Units(nil, s))
	if err != nil {
		return false, fmt.Errorf("the pattern /%s/ took more than %v; write one that backtracks less", re.source, matchLimit)
	}
	return matched, nil
}
