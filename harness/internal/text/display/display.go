// Package display makes any text safe to show on a terminal, in a message or in a
// report. A page, a server or a file may contain anything.
package display

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Cut returns at most max characters of s, with … where it was cut.
func Cut(s string, max int) string {
	if short, cut := prefix(s, max); cut {
		return short + "…"
	}
	return s
}

// maxQuoted is how many characters of a text a message repeats.
const maxQuoted = 60

// Quote returns s in double quotes, escaped like %q and cut at 60 characters.
func Quote(s string) string { return QuoteTo(s, maxQuoted) }

// QuoteTo is Quote for at most max characters.
func QuoteTo(s string, max int) string {
	short, cut := prefix(s, max)
	if cut {
		return strconv.Quote(short) + "…"
	}
	return strconv.Quote(s)
}

// Visible makes any text safe to show on one line of a terminal or a document. Control
// characters, line ends, bidirectional marks, bytes that are not UTF-8 and other characters
// that do not print become Go escapes. All other characters stay unchanged, even
// backslashes, so that safe text is not escaped again.
//
// An escape that a page itself wrote looks like one of ours; only the JSON files
// show the difference.
func Visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		part := s[i : i+size]
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
			q := strconv.Quote(part)
			part = q[1 : len(q)-1]
		}
		b.WriteString(part)
		i += size
	}
	return b.String()
}

// Lines is Visible for each line of s. It keeps the line ends.
func Lines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Visible(line)
	}
	return strings.Join(lines, "\n")
}

// Short is Visible for at most 60 characters of s.
func Short(s string) string { return VisibleTo(s, maxQuoted) }

// VisibleTo is Visible for at most max characters of s.
func VisibleTo(s string, max int) string { return Visible(Cut(s, max)) }

// Line turns a program's output into one line of at most max characters. White space
// becomes spaces, and characters that do not print are left out.
func Line(s string, max int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return Cut(strings.TrimSpace(s), max)
}

// Count returns a number with its noun, such as "1 step" or "2 steps".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Ordinal writes 1st, 2nd, 3rd, 4th and so on.
func Ordinal(n int) string {
	end := "th"
	if n > 0 && n%100/10 != 1 && n%10 < 4 {
		end = []string{"th", "st", "nd", "rd"}[n%10]
	}
	return fmt.Sprint(n, end)
}

// Times says how often something happened, such as "once" or "2 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// Percent bounds the rounded percentage of a rate: it stays within 0.1 and 99.9 unless the
// rate is exactly 0 or 1.
func Percent(rounded, rate float64) float64 {
	if rate > 0 && rate < 1 {
		return min(max(rounded, 0.1), 99.9)
	}
	return rounded
}

// Rate writes a rate as a percentage; rounding never makes it 0 % or 100 %.
func Rate(v float64) string { return fmt.Sprintf("%.1f %%", Percent(math.Round(1000*v)/10, v)) }

// Points writes a change of a rate.
func Points(v float64) string { return fmt.Sprintf("%+.1f points", 100*v) }

// Duration writes milliseconds: whole ones below a second, such as 120ms, and hundredths of
// a second above, such as 1.5s.
func Duration(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// prefix returns the first max characters of s, and whether there are more.
func prefix(s string, max int) (string, bool) {
	if len(s) <= max {
		return s, false
	}
	n := 0
	for i := range s {
		if n == max {
			return s[:i], true
		}
		n++
	}
	return s, false
}

// Program is what people type before a target. openchrome-bench and mage.go set their own.
var Program = cmp.Or(os.Getenv("OPENCHROME_BENCH_PROGRAM"), "mage")

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

// quote quotes an argument if a shell may read more than text in it. Program may be several words.
func quote(arg string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_=:,./@+%", c)
	}
	if arg == Program || strings.IndexFunc(arg, func(c rune) bool { return !plain(c) }) < 0 {
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
