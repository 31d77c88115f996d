package facts

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// Expression builds the one JavaScript expression that reads the URL, the innerText of
// the first match of each text selector (null without a match) and the number of matches of
// each count selector. An invalid selector makes only its own fact unavailable, with the
// browser's message as the reason.
//
// OpenChrome 1.7.15 loses the value of code that contains a semicolon, a newline or the
// word return, even inside a string. So the expression contains none of them. In selectors,
// all characters except letters, digits and a few marks are escaped.
func Expression(texts, counts []string) string {
	const expression = `JSON.stringify(((o, read) => (` +
		`%s.forEach(s => read("dom_text " + s, () => { o.text[s] = (e => e ? e.innerText ?? null : null)(document.querySelector(s)) })), ` +
		`%s.forEach(s => read("dom_count " + s, () => { o.count[s] = document.querySelectorAll(s).length })), o))` +
		`(...(o => [o, (name, f) => { try { f() } catch (e) { o.errors[name] = e.message } }])` +
		`({url: location.href, state: document.readyState, text: Object.create(null), count: Object.create(null), errors: Object.create(null)})))`
	return fmt.Sprintf(expression, stringList(texts), stringList(counts))
}

// stringList writes a JavaScript array of strings without the characters and the word that
// OpenChrome 1.7.15 cannot handle. It escapes every letter r, which breaks up the word
// return.
func stringList(list []string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		for _, unit := range utf16.Encode([]rune(s)) {
			if plain(unit) {
				b.WriteByte(byte(unit))
			} else {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
		b.WriteByte('"')
	}
	b.WriteByte(']')
	return b.String()
}

func plain(u uint16) bool {
	return u < 0x80 && u != 'r' && (u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z' || u >= '0' && u <= '9' || strings.ContainsRune(" .#-_:>[]=()*", rune(u)))
}

// scriptStrings returns the strings with invalid UTF-8 replaced, as a script sees them.
func scriptStrings(list []string) []string {
	read := make([]string, len(list))
	for i, s := range list {
		read[i] = string([]rune(s))
	}
	return read
}
