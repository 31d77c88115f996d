package jsonfile

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// maxPatterns bounds the patterns of a file: their characters, where a repeated part counts
// as often as it is repeated. Each takes about 100 bytes of memory.
const maxPatterns = 100_000

// Pattern reads an RE2 pattern. It returns nil after a fault.
func (f *File) Pattern(n *Node) *regexp.Regexp {
	if f.patterns > maxPatterns {
		return nil // has a fault
	}
	parsed, err := syntax.Parse(n.Text, syntax.Perl)
	if err == nil {
		if f.patterns += patternSize(parsed); f.patterns > maxPatterns {
			f.FaultAt(n, "the patterns of the file are too large, with their repetitions; repeat less")
			return nil
		}
		var re *regexp.Regexp
		if re, err = regexp.Compile(n.Text); err == nil {
			return re
		}
	}
	f.FaultAt(n, "is not an RE2 pattern: %s", display.VisibleTo(strings.TrimPrefix(err.Error(), "error parsing regexp: "), 100))
	return nil
}

// patternSize returns the size of a pattern as maxPatterns counts it.
func patternSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		size += patternSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(1, re.Min, re.Max)
	}
	return min(size, maxPatterns+1)
}
