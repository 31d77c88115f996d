package openchrome

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// factsExpression builds the one JavaScript expression that reads the URL, the
// innerText of the first match of each text selector (null without a match) and
// the number of matches of each count selector. An invalid selector costs only
// its own fact, with the browser's message.
//
// OpenChrome 1.7.15 loses the value of code that holds a semicolon, a newline
// or the word return, also inside a string: so the expression has none, and
// selectors are written with all but letters, digits and a few marks escaped.
func factsExpression(texts, counts []string) string {
	const expression = `JSON.stringify(((o, read) => (` +
		`%s.forEach(s => read("dom_text " + s, () => { o.text[s] = (e => e ? e.innerText ?? null : null)(document.querySelector(s)) })), ` +
		`%s.forEach(s => read("dom_count " + s, () => { o.count[s] = document.querySelectorAll(s).length })), o))` +
		`(...(o => [o, (name, f) => { try { f() } catch (e) { o.errors[name] = e.message } }])` +
		`({url: location.href, state: document.readyState, text: Object.create(null), count: Object.create(null), errors: Object.create(null)})))`
	return fmt.Sprintf(expression, stringList(texts), stringList(counts))
}

// stringList writes a JavaScript array of strings without a character, or a
// word, that 1.7.15 trips over. Every letter r is escaped, which breaks up the
// word return.
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

// scriptStrings returns the strings as a script has them: with invalid UTF-8
// replaced.
func scriptStrings(list []string) []string {
	read := make([]string, len(list))
	for i, s := range list {
		read[i] = string([]rune(s))
	}
	return read
}
