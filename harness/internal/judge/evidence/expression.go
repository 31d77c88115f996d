package evidence

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
)

const expression = `JSON.stringify(((o, read) => (` +
	`%s.forEach(s => read("dom_text " + s, () => { o.text[s] = (e => e ? e.innerText ?? null : null)(document.querySelector(s)) })), ` +
	`%s.forEach(s => read("dom_count " + s, () => { o.count[s] = document.querySelectorAll(s).length })), o))` +
	`(...(o => [o, (name, f) => { try { f() } catch (e) { o.errors[name] = e.message } }])` +
	`({url: location.href, state: document.readyState, text: Object.create(null), count: Object.create(null), errors: Object.create(null)})))`

// Expression builds the one JavaScript expression that reads the URL, the innerText of
// the first match of each text selector (null without a match) and the number of matches of
// each count selector. An invalid selector makes only its own fact unavailable, with the
// browser's message as the reason.
//
// OpenChrome 1.7.15 loses the value of code that contains a semicolon, a newline or the
// word return, even inside a string. So the expression contains none of them. In selectors,
// all characters except letters, digits and a few marks are escaped.
func Expression(texts, counts []string) string {
	return fmt.Sprintf(expression, stringList(texts), stringList(counts))
}

// ParseExpression returns the selectors of an expression that [Expression] built.
func ParseExpression(code string) (texts, counts []string, ok bool) {
	parts := strings.Split(expression, "%s")
	code, begins := strings.CutPrefix(code, parts[0])
	code, ends := strings.CutSuffix(code, parts[2])
	first, second, both := strings.Cut(code, parts[1])
	ok = begins && ends && both && json.Unmarshal([]byte(first), &texts) == nil && json.Unmarshal([]byte(second), &counts) == nil
	return texts, counts, ok
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
