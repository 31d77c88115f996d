package jsregexp

import (
	"testing"
	"time"
)

// Whatever the pattern and the string, reading and matching end in time, and a
// pattern that was read can be read in lower case.
func FuzzParse(f *testing.F) {
	for _, source := range []string{"", "a|b*?", "(?<n>a)\\k<n>", "[^]{2,}", "((a)+)+$", "(?<=\\ud83d)\\u{61}", "[a-\\d\\b]", "\\c_\\08\\400", "(?!x)??", "(a?){400}", "{1", "[z-a]", "(?<n", "\\8(b)\\2"} {
		f.Add(source, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")
	}
	f.Fuzz(func(t *testing.T, source, s string) {
		if len(source) > 512 || len(s) > 1<<16 {
			return
		}
		begin := time.Now()
		re, err := Parse(source)
		if err != nil {
			return
		}
		re.Lowered()
		if m, err := re.Matcher(&Budget{Left: 150 * time.Millisecond}); err == nil {
			m.Match(s)
		}
		if took := time.Since(begin); took > time.Second { // far above what it takes, for a busy machine
			t.Errorf("/%s/ took %v", source, took)
		}
	})
}
