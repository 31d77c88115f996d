package openchrome

import (
	"errors"
	"fmt"
	"strings"
)

// splitCommand splits a command line into its words as a POSIX shell does
// (Shell Command Language, 2.2 Quoting), with nothing expanded: spaces, tabs
// and newlines separate words; '…' is taken as it stands; in "…" a backslash
// stands before ", \, $ and `, and elsewhere for itself; outside quotes a
// backslash takes the next character as it is. What only a shell can do, such
// as pipes and variables, is refused where it is not quoted.
func splitCommand(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	for rest := line; rest != ""; {
		c := rest[0]
		rest = rest[1:]
		switch c {
		case ' ', '\t', '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
			continue
		case '\'':
			text, after, ok := strings.Cut(rest, "'")
			if !ok {
				return nil, errors.New("a ' without its other one")
			}
			word.WriteString(text)
			rest = after
		case '"':
			text, after, err := doubleQuoted(rest)
			if err != nil {
				return nil, err
			}
			word.WriteString(text)
			rest = after
		case '\\':
			if rest == "" {
				return nil, errors.New(`a \ with nothing behind it`)
			}
			word.WriteByte(rest[0])
			rest = rest[1:]
		case '|', '&', ';', '<', '>', '(', ')', '$', '`':
			return nil, fmt.Errorf("%q is for a shell, and there is none; quote it, or name a script", c)
		default:
			word.WriteByte(c)
		}
		inWord = true
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("it names no program")
	}
	return words, nil
}

// doubleQuoted reads up to the closing quote and returns what is behind it.
func doubleQuoted(s string) (text, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], nil
		case c == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		case c == '$' || c == '`':
			return "", "", fmt.Errorf("%q is for a shell, and there is none; put it in single quotes", c)
		default:
			b.WriteByte(c)
		}
	}
	return "", "", errors.New(`a " without its other one`)
}
