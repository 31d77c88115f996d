package session

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Redactor removes secrets from texts before they are shown. If several secrets match
// at one place, it takes the first in the list.
type Redactor []Secret

// Secret is a text that must not be shown, and the text that takes its place.
type Secret struct{ Hidden, Shown string }

// short is how many characters a text needs to be a secret. A shorter one is a part of too many
// words.
const short = 6

// Hiding returns a Redactor of texts, which also finds them URL-encoded, and in base64 at any
// place of a longer text. It leaves out texts of less than 6 characters. It is nil if there is
// nothing to hide.
func Hiding(texts []string) (r Redactor) {
	hide := func(hidden string) {
		if secret := (Secret{hidden, "[hidden]"}); len(hidden) >= short && !slices.Contains(r, secret) {
			r = append(r, secret)
		}
	}
	for _, text := range texts {
		if len(text) < short {
			continue
		}
		hide(text)
		hide(strings.ReplaceAll(text, " ", "+")) // as in a query
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			hide(encoding.EncodeToString([]byte(text)))
			for before := range 3 { // bytes before it in a group of three
				whole := encoding.EncodeToString(append(make([]byte, before), text...))
				ends := len(whole)
				if (before+len(text))%3 != 0 {
					ends-- // this character depends on what follows
				}
				hide(whole[min(ends, (before*8+5)/6):ends])
			}
		}
	}
	// The longest first: it may begin with another one.
	slices.SortStableFunc(r, func(a, b Secret) int { return len(b.Hidden) - len(a.Hidden) })
	return r
}

// Line ends as they are, and escaped or URL-encoded.
var (
	lineEnds = strings.NewReplacer("\r", "", "\n", "")
	lineEnd  = regexp.MustCompile(`^(?:[\r\n]|\\{1,8}[rn]|(?i:%(?:25){0,8}0[ad])){1,4}`)
)

// Text returns s without the secrets. It finds them unescaped, and escaped as in JSON or URL-encoded
// byte by byte, any number of times, and broken into lines.
func (b Redactor) Text(s string) string {
	line := lineEnds.Replace(s)
	holds := func(secret Secret) bool {
		return strings.Contains(s, secret.Hidden) || strings.Contains(line, secret.Hidden)
	}
	if !strings.ContainsAny(s, `\%`) && !slices.ContainsFunc(b, holds) {
		return s
	}
	begins := `\%`
	for _, secret := range b {
		first, _ := utf8.DecodeRuneInString(secret.Hidden)
		begins += string(first)
	}
	var out strings.Builder
	done := 0
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], begins)
		if next < 0 {
			break
		}
		i += next
		shown, size := b.at(s[i:])
		if size == 0 {
			// If no secret begins at the first of several backslashes, none begins at a
			// later one. Checking each of them would take quadratic time.
			escapes := len(s[i:]) - len(strings.TrimLeft(s[i:], `\`))
			i += max(1, escapes)
			continue
		}
		out.WriteString(s[done:i])
		out.WriteString(shown)
		i += size
		done = i
	}
	if done == 0 {
		return s
	}
	return out.String() + s[done:]
}

// at returns the length of the secret at the beginning of s, and its replacement.
func (b Redactor) at(s string) (shown string, size int) {
	for _, secret := range b {
		if first, _ := utf8.DecodeRuneInString(secret.Hidden); character(first, s) == 0 {
			continue
		}
		if n := cmp.Or(written(secret.Hidden, s, false), written(secret.Hidden, s, true)); n > 0 {
			return secret.Shown, n
		}
	}
	return "", 0
}

// written returns the length of text at the beginning of s, where each character may be escaped any
// number of times; 0 if s does not begin with text. With lines, a line end may be before a character.
func written(text, s string, lines bool) int {
	at := 0
	for _, want := range text {
		if lines && at > 0 {
			at += len(lineEnd.FindString(s[at:]))
		}
		n := character(want, s[at:])
		if n == 0 {
			return 0
		}
		at += n
	}
	return at
}

// character returns the length of want at the beginning of s, escaped or not; 0 if s does not begin
// with it.
func character(want rune, s string) int {
	escaped := 0
	switch {
	case strings.HasPrefix(s, "%"):
		if n := percented(want, s); n > 0 {
			return n
		}
	case strings.HasPrefix(s, `\`):
		rest := strings.TrimLeft(s, `\`)
		escaped = len(s) - len(rest)
		if n := units(want, s); n > 0 {
			return n
		}
		if want == '\\' {
			return escaped
		}
	}
	if r, size := utf8.DecodeRuneInString(s[escaped:]); r == want && size > 0 {
		return escaped + size
	}
	return 0
}

// percented returns the length of want at the beginning of s, with each byte as %XX, encoded any number
// of times; 0 if s does not begin with it.
func percented(want rune, s string) int {
	const digits = "0123456789abcdef"
	at := 0
	for _, b := range utf8.AppendRune(nil, want) {
		if !strings.HasPrefix(s[at:], "%") {
			return 0
		}
		for at++; len(s) < at+2 || s[at]|0x20 != digits[b>>4] || s[at+1]|0x20 != digits[b&15]; at += 2 {
			if !strings.HasPrefix(s[at:], "25") {
				return 0
			}
		}
		at += 2
	}
	return at
}

// units returns the length of want at the beginning of s, written as \uXXXX, or as two such
// escapes if want is a surrogate pair. It returns 0 if s does not begin with want.
func units(want rune, s string) int {
	at := 0
	for _, unit := range utf16.AppendRune(nil, want) {
		rest := strings.TrimLeft(s[at:], `\`)
		if len(rest) < 5 || len(rest) == len(s[at:]) || rest[0] != 'u' {
			return 0
		}
		if got, err := strconv.ParseUint(rest[1:5], 16, 16); err != nil || uint16(got) != unit {
			return 0
		}
		at = len(s) - len(rest) + 5
	}
	return at
}

// JSON returns a JSON text without the secrets, or null if raw is not JSON. The result is
// valid JSON. Strings and names of members are searched unescaped; a number that holds a
// secret becomes a string. Everything else stays unchanged.
func (b Redactor) JSON(raw json.RawMessage) json.RawMessage { return b.tokens(raw, true) }

// Strings is JSON that leaves numbers as they are.
func (b Redactor) Strings(raw json.RawMessage) json.RawMessage { return b.tokens(raw, false) }

func (b Redactor) tokens(raw json.RawMessage, numbers bool) json.RawMessage {
	tokens := json.NewDecoder(bytes.NewReader(raw))
	tokens.UseNumber()
	var out bytes.Buffer
	done := 0
	for {
		start := int(tokens.InputOffset())
		token, err := tokens.Token()
		if err == io.EOF && done == 0 {
			return raw
		} else if err == io.EOF {
			return append(out.Bytes(), raw[done:]...)
		} else if err != nil {
			return json.RawMessage("null")
		}
		var meant string
		switch token := token.(type) {
		case string:
			meant = token
		case json.Number:
			if numbers {
				meant = token.String()
			}
		}
		shown := b.Text(meant)
		if shown == meant {
			continue
		}
		start = len(raw) - len(bytes.TrimLeft(raw[start:], " \t\r\n:,"))
		out.Write(raw[done:start])
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		enc.Encode(shown) // encoding a string cannot fail
		out.Truncate(out.Len() - 1)
		done = int(tokens.InputOffset())
	}
}
