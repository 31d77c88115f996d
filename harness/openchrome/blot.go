package openchrome

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A blotter removes secrets from what is shown, in the order of the list where
// one holds another.
type blotter []secret

// secret is a text that must not be shown, and what is shown in its place.
type secret struct{ text, shown string }

// Text returns s without the secrets: as they are, and as JSON within s, at any
// depth, may write them.
func (b blotter) Text(s string) string {
	begins := `\`
	for _, secret := range b {
		first, _ := utf8.DecodeRuneInString(secret.text)
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
			// What no secret begins at the first of many backslashes, none does at
			// a later one: to look at each would take a server's time squared.
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

// at returns how long the secret is that s begins with, and what to show for it.
func (b blotter) at(s string) (shown string, size int) {
	for _, secret := range b {
		if n := written(secret.text, s); n > 0 {
			return secret.shown, n
		}
	}
	return "", 0
}

// written returns how much of s writes text, each character as it is or escaped,
// once or more often; 0 if s does not begin with it.
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

// units returns how much of s writes want as \uXXXX, beyond ASCII as two of them
// where it must.
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

// JSON returns a JSON text without the secrets. It stays valid: in a string, also
// the name of a member, a secret is replaced in what the string means, and a
// number with a secret in it becomes a string. All else keeps its bytes.
func (b blotter) JSON(raw json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	done := 0
	for i := 0; i < len(raw); {
		end := literal(raw[i:]) + i
		if end == i {
			i++
			continue
		}
		if blotted, changed := b.literal(raw[i:end]); changed {
			out.Write(raw[done:i])
			out.Write(blotted)
			done = end
		}
		i = end
	}
	if done == 0 {
		return raw
	}
	out.Write(raw[done:])
	return out.Bytes()
}

// literal returns the length of the string or number that s begins with; 0 if it
// begins with neither.
func literal(s []byte) int {
	if s[0] == '-' || s[0] >= '0' && s[0] <= '9' {
		return len(s) - len(bytes.TrimLeft(s, "+-.0123456789eE"))
	}
	if s[0] != '"' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

func (b blotter) literal(s []byte) (blotted []byte, changed bool) {
	meant := strings.Trim(string(s), `"`)
	if bytes.IndexByte(s, '\\') >= 0 && json.Unmarshal(s, &meant) != nil {
		return nil, false
	}
	shown := b.Text(meant)
	if shown == meant {
		return nil, false
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(shown) != nil {
		return nil, false
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), true
}
