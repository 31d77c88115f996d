package judge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
)

// Bounds of the search for near misses: it runs on whole pages, and a contract may fail in
// many places. They are counts and not times, because an explanation must always be the
// same.
const (
	minNearRunes  = 3 // in another case, a shorter text occurs on any long page
	nearTextBytes = 64 << 10
	nearURLBytes  = 8 << 10
)

// nearText looks in text for want in another case or with other white space. text does not
// contain want itself.
func nearText(text, want string) string {
	if len(text) > nearTextBytes {
		text = strings.ToValidUTF8(text[:nearTextBytes], "")
	}
	if len(want) > len(text)*2 {
		return ""
	}
	anywhere := utf8.RuneCountInString(want) < minNearRunes && len(text) > 4*len(want)
	if found, ok := find(text, want, unicode.ToLower); ok && !anywhere {
		return fmt.Sprintf("only the case differs: the text has %s", quote(found))
	}
	if found, ok := find(text, want, dropSpace); ok {
		return fmt.Sprintf("only white space differs: expected %s, the text has %s", quote(want), quote(found))
	}
	if anywhere {
		return ""
	}
	loose := func(r rune) rune { return dropSpace(unicode.ToLower(r)) }
	if found, ok := find(text, want, loose); ok {
		return fmt.Sprintf("only case and white space differ: expected %s, the text has %s", quote(want), quote(found))
	}
	return ""
}

// find looks for want in text, after it has mapped every character of both; -1 drops the
// character. It returns the matching part of text.
func find(text, want string, mapping func(rune) rune) (string, bool) {
	want = strings.Map(mapping, want)
	if want == "" {
		return "", false
	}
	var b strings.Builder
	at := make([]int, 0, len(text)+1) // position in text of each byte of b
	for i, r := range text {
		before := b.Len()
		if r = mapping(r); r >= 0 {
			b.WriteRune(r)
		}
		for range b.Len() - before {
			at = append(at, i)
		}
	}
	i := strings.Index(b.String(), want)
	if i < 0 {
		return "", false
	}
	last := at[i+len(want)-1]
	_, size := utf8.DecodeRuneInString(text[last:])
	return text[at[i] : last+size], true
}

// dropSpace maps white space and invisible characters to -1.
func dropSpace(r rune) rune {
	if r > ' ' && r < 0x7f { // fast path for most characters
		return r
	}
	if jsregexp.IsSpace(r) || unicode.IsSpace(r) || r >= 0x200b && r <= 0x200d || r == 0x2060 || r == 0xad {
		return -1
	}
	return r
}

// nearURL says which common mistake keeps re from matching url; "" if it is none.
func nearURL(url string, re *jsregexp.Regexp) string {
	if len(url) > nearURLBytes {
		return ""
	}
	matches := func(re *jsregexp.Regexp, s string) bool {
		ok, err := re.Match(s)
		return ok && err == nil
	}
	if matches(re.IgnoringCase(), url) {
		return "only the case differs: the URL is " + quote(url)
	}
	if bare, slash := strings.CutSuffix(url, "/"); slash && matches(re, bare) {
		return "it would match without the slash at the end"
	}
	if !strings.HasSuffix(url, "/") && matches(re, url+"/") {
		return "it would match with a slash at the end"
	}
	return ""
}
