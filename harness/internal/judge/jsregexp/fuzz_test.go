package jsregexp

import "testing"

// Whatever the pattern and the string, parsing and matching end, and take the
// same steps every time.
func FuzzParse(f *testing.F) {
	for _, source := range []string{"", "a|b*?", "(?<n>a)\\k<n>", "[^]{2,}", "((a)+)+$", "(?<=\\ud83d)\\u{61}", "[a-\\d\\b]", "\\c_\\08\\400", "(?!x)??", "(a?){400}", "{1", "[z-a]", "(?<n", "\\8(b)\\2"} {
		f.Add(source, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")
	}
	f.Fuzz(func(t *testing.T, source, s string) {
		if len(source) > 512 || len(s) > 1<<16 {
			return
		}
		re, err := Parse(source)
		if err != nil {
			return
		}
		first, second := &Budget{Steps: 100_000}, &Budget{Steps: 100_000}
		ok, err := re.Match(s, first)
		again, errAgain := re.Match(s, second)
		if ok != again || err != errAgain || first.Steps != second.Steps {
			t.Errorf("/%s/: %v, %v with %d steps left, then %v, %v with %d", source, ok, err, first.Steps, again, errAgain, second.Steps)
		}
	})
}
