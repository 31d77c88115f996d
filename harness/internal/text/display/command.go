package display

import "strings"

// Program is what people type before a target. openchrome-bench sets its own name.
var Program = "mage"

// Command writes a command line that a POSIX shell reads as these arguments. Empty ones are
// left out.
func Command(args ...string) string {
	var words []string
	for _, arg := range args {
		if arg != "" {
			words = append(words, quote(arg))
		}
	}
	return strings.Join(words, " ")
}

// quote quotes an argument if a shell may read more than text in it.
func quote(arg string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_=:,./@+%", c)
	}
	if strings.IndexFunc(arg, func(c rune) bool { return !plain(c) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Setting returns an option with its value, or "" if the value is the default.
func Setting(name, value, standard string) string {
	if value == "" || value == standard {
		return ""
	}
	return "-" + name + "=" + value
}
