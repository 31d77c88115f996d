package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// SplitCommand splits a command line into words as a POSIX shell does (Shell
// Command Language, 2.2 Quoting), and expands nothing. Spaces, tabs and newlines
// separate words. Single quotes keep everything as it is. In double quotes a
// backslash escapes only ", \, $ and `; outside quotes it escapes any character.
// Unquoted characters that only a shell understands, such as | and $, are an error.
func SplitCommand(line string) ([]string, error) {
	var words []string
	var word []byte
	inWord := false
	quote := byte(0) // the quote that is open
	for i := 0; i < len(line); i++ {
		c := line[i]
		if quote == 0 && strings.IndexByte(" \t\n", c) >= 0 {
			if inWord {
				words = append(words, string(word))
			}
			word, inWord = word[:0], false
			continue
		}
		inWord = true
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == '\\' && quote == 0 && i+1 == len(line):
			return nil, errors.New(`a \ at the end escapes nothing`)
		case c == '\\' && (quote == 0 || quote == '"' && strings.ContainsAny(line[i+1:min(i+2, len(line))], "\"\\$`")):
			i++
			word = append(word, line[i])
		case quote == '"' && (c == '$' || c == '`'):
			return nil, fmt.Errorf("%q needs a shell, but the command runs without one; use single quotes", c)
		case quote == 0 && strings.IndexByte("|&;<>()$`", c) >= 0:
			return nil, fmt.Errorf("%q needs a shell, but the command runs without one; quote it, or use a script", c)
		default:
			word = append(word, c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("unterminated %c quote", quote)
	}
	if inWord {
		words = append(words, string(word))
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("it has no program")
	}
	return words, nil
}

// NamedFile returns the whole path of the file or folder that a word of a command line names, seen
// from dir, or from the current folder if dir is empty. It is empty if the word names none. A word
// without a dot or a slash is no name.
func NamedFile(word, dir string) string {
	if !strings.ContainsAny(word, `./\`) {
		return ""
	}
	if dir != "" && !filepath.IsAbs(word) {
		word = filepath.Join(dir, word)
	}
	path, err := filepath.Abs(word)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return ""
	}
	return path
}
