package session

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
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
	seen := map[string]bool{}
	hide := func(hidden string) {
		if len(hidden) >= short && !seen[hidden] {
			seen[hidden] = true
			r = append(r, Secret{hidden, "[hidden]"})
		}
	}
	for _, text := range texts {
		if len(text) < short {
			continue
		}
		hide(text)
		for _, encoded := range []string{url.QueryEscape(text), url.PathEscape(text)} {
			hide(encoded)
			hide(percent.ReplaceAllStringFunc(encoded, strings.ToLower))
		}
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

var percent = regexp.MustCompile(`%[0-9A-F]{2}`)

// Text returns s without the secrets. It finds them unescaped, and escaped as in JSON
// any number of times.
func (b Redactor) Text(s string) string {
	holds := func(secret Secret) bool { return strings.Contains(s, secret.Hidden) }
	if !strings.Contains(s, `\`) && !slices.ContainsFunc(b, holds) {
		return s
	}
	begins := `\`
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
		if n := written(secret.Hidden, s); n > 0 {
			return secret.Shown, n
		}
	}
	return "", 0
}

// written returns the length of text at the beginning of s, where each character may be
// escaped any number of times; 0 if s does not begin with text.
func written(text, s string) int {
	at := 0
	for _, want := range text {
		if n := units(want, s[at:]); n > 0 {
			at += n
			continue
		}
		rest := strings.TrimLeft(s[at:], `\`)
		switch escaped := len(rest) < len(s[at:]); {
		case escaped && want == '\\':
			at = len(s) - len(rest)
		case strings.HasPrefix(rest, string(want)):
			at = len(s) - len(rest) + len(string(want))
		default:
			return 0
		}
	}
	return at
}

// units returns the length of want at the beginning of s, written as \uXXXX, or as two such
// escapes if want is a surrogate pair. It returns 0 if s does not begin with want.
func units(want rune, s string) int {
	at := 0
	for _, unit := range utf16.Encode([]rune{want}) {
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
