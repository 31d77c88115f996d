package session

import (
	"bytes"
	"encoding/json"
	"io"
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

// Text returns s without the secrets. It finds them unescaped, and escaped as in JSON
// any number of times.
func (b Redactor) Text(s string) string {
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
func (b Redactor) JSON(raw json.RawMessage) json.RawMessage {
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
			meant = token.String()
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
