package session

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/regular"
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

// FindCommand splits a command line into its words, and finds its program. What the line names is
// found from dir; "" is the current folder. Words that name files get their whole path, because the
// program runs in a folder of its own.
func FindCommand(line, dir string) (path string, args []string, err error) {
	if args, err = SplitCommand(line); err != nil {
		return "", nil, err
	}
	program := args[0]
	if dir != "" && !filepath.IsAbs(program) && strings.ContainsRune(program, filepath.Separator) {
		program = filepath.Join(dir, program)
	}
	path, err = exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		if name, _, ok := strings.Cut(args[0], "="); ok {
			return "", nil, fmt.Errorf("it does not run in a shell; begin it with: env %s=…", name)
		}
		if e, ok := errors.AsType[*exec.Error](err); ok {
			err = e.Err
		}
		return "", nil, fmt.Errorf("%s: %w; name a program on the PATH, or its path", args[0], regular.Cause(err))
	}
	for i, word := range args[1:] {
		args[i+1] = cmp.Or(NamedFile(word, dir), word)
	}
	return path, args, nil
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
