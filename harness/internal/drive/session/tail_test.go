package session

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestTail(t *testing.T) {
	var all Tail
	for range 5000 {
		all.Write([]byte(strings.Repeat("x", 99) + "\n"))
	}
	all.Write([]byte("the end\n"))
	got := all.String()
	if len(got) != tailSize || !strings.HasSuffix(got, "x\nthe end\n") {
		t.Errorf("%d bytes are kept, ending in %q", len(got), got[len(got)-20:])
	}
	if cap(all.buf) > 4*tailSize {
		t.Errorf("%d bytes are held", cap(all.buf))
	}
	var one Tail
	one.Write([]byte(strings.Repeat("y", 3*tailSize)))
	if n := len(one.String()); n != tailSize {
		t.Errorf("of one large write %d bytes are kept", n)
	}
}

func TestLastLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"blank", " \n\n\t\n", ""},
		{"no fault", "starting\nready\n\n", "ready"},
		{"no newline", "starting\nready", "ready"},
		{"node", "x.js:1\nfoo()\n^\n\nTypeError [ERR_X]: bad\n    at f (x.js:1:2)\n\nNode.js v20.1.0\n", "TypeError [ERR_X]: bad"},
		{"the last of two", "Error: first\nlater\nError: second\nbye\n", "Error: second"},
		{"go", "panic: oh no\n\ngoroutine 1 [running]:\nmain.main()\n", "panic: oh no"},
		{"chromium", "[1:1:ERROR:x.cc(1)] Failed\n[1:1:FATAL:zygote.cc(2)] No usable sandbox! Update your kernel\n", "No usable sandbox! Update your kernel"},
		{"chromium, with the time", "[87:91:1126/121500.044803:ERROR:content/x.cc:130] No usable sandbox!\n[87:91:1126/121500.1:WARNING:y.cc:2] bye\n", "No usable sandbox!"},
		{"a warning of node", "(node:4711) Warning: old\n", "Warning: old"},
		{"the container's entrypoint", "openchrome-bench: Chromium 1.2\nopenchrome-bench: error: Chromium ended with status 1\nbye\n", "openchrome-bench: error: Chromium ended with status 1"},
		{"hostile", "a\x1b[31mb\x00c\r\xffd\u202e\n", "a[31mbc ?d"},
		{"long", strings.Repeat("é", 1000), strings.Repeat("é", maxLine) + "…"},
	}
	for _, tt := range tests {
		var all Tail
		all.Write([]byte(tt.text))
		need.Is(t, tt.name, tt.want, all.LastLine())
	}
}
