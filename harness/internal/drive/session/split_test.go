package session

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestSplitCommand(t *testing.T) {
	tests := []struct {
		line string
		want []string
	}{
		{"node dist/index.js serve", []string{"node", "dist/index.js", "serve"}},
		{"  a\t b\nc  ", []string{"a", "b", "c"}},
		{`a 'b c' "d e"`, []string{"a", "b c", "d e"}},
		{`a '' ""`, []string{"a", "", ""}},
		{`a b'c'"d"e`, []string{"a", "bcde"}},
		{`a '\n$x"'`, []string{"a", `\n$x"`}},
		{`a "\n\"\\\$'"`, []string{"a", `\n"\$'`}},
		{`a\ b c\'`, []string{"a b", "c'"}},
		{"ä 'ö'", []string{"ä", "ö"}},
		{`a '|' "&" \;`, []string{"a", "|", "&", ";"}},
	}
	for _, tt := range tests {
		got, err := SplitCommand(tt.line)
		if err != nil {
			t.Errorf("%q: %v", tt.line, err)
		}
		need.Equal(t, fmt.Sprintf("%q", tt.line), tt.want, got)
	}
	for _, line := range []string{"", " \t", "''", "'a", `"a`, `a \`, `"a\`, "a | b", "a && b", "$A", "`a`", "(a)", `a "$HOME"`, "a > b"} {
		if got, err := SplitCommand(line); err == nil {
			t.Errorf("%q was split into %q", line, got)
		}
	}
}

// FuzzSplitCommand holds what is not refused to what a real shell makes of it.
func FuzzSplitCommand(f *testing.F) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("no shell here")
	}
	f.Add(`a 'b c' "d \" e" f\ g`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := SplitCommand(line)
		// Left out: what a shell expands and we take as it stands, comments, the
		// ends of commands, and what no argument can hold.
		if err != nil || strings.ContainsAny(line, "*?[]~#!{}=\n\r\x00") {
			return
		}
		out, err := exec.Command(sh, "-c", `printf '%s\0' `+line).Output()
		if err != nil {
			t.Skip("not a line for printf")
		}
		if want := strings.Join(words, "\x00") + "\x00"; want != string(out) {
			t.Errorf("%q: split into %q, the shell gives %q", line, want, out)
		}
	})
}
