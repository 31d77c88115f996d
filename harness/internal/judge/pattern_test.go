package judge

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/need"
)

// TestRegexpNode20 compares with what Node 20 answered to patterns full of
// traps, and to random ones; testdata/regexp.js wrote the file.
func TestRegexpNode20(t *testing.T) {
	data := need.Read(t, filepath.Join("testdata", "regexp.jsonl"))
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, len(data)+1)
	cases, matches, refused := 0, 0, 0
	for sc.Scan() {
		c, _ := mustDecode(t, sc.Bytes()).(evidence.Details)
		pattern := c.Text("pattern")
		re, err := jsregexp.Parse(pattern)
		cases++
		switch wanted := c.Text("error"); {
		case strings.HasSuffix(wanted, ": Duplicate capture group name"): // Node allows it since version 23
		case wanted != "":
			need.Is(t, fmt.Sprintf("Parse(%q) refuses", pattern), true, err != nil)
			continue
		case err != nil: // the engine refuses more than 2^31 repetitions and what jsregexp names
			refused++
			continue
		}
		for key, want := range map[string]bool{"match": true, "miss": false} {
			v, _ := c.Get(key)
			list, _ := v.([]any)
			for _, s := range list {
				matches++
				if got, err := re.Match(s.(string)); got != want || err != nil {
					t.Errorf("/%q/ on %q: %v, %v, want %v", pattern, s, got, err, want)
				}
			}
		}
	}
	if cases < 1500 || matches < 10000 || refused > 15 {
		t.Errorf("%d patterns and %d matches were compared, %d patterns refused", cases, matches, refused)
	}
}

func TestCheckPattern(t *testing.T) {
	long := strings.Repeat("a", 512)
	tests := []struct{ name, pattern, fault string }{
		{"512 units", long, ""},
		{"513 units", long + "a", "pattern exceeds 512 chars"},
		{"an astral character has two units", strings.Repeat("😀", 257), "pattern exceeds 512 chars"},
		{"256 astral characters", strings.Repeat("😀", 256), ""},
		{"length goes before shape", "(a+)+" + long, "pattern exceeds 512 chars"},
		{"shape goes before syntax", "((a+)+", "nested-quantifier shape (ReDoS risk)"},
		{"doubled quantifier", "a++", "nested-quantifier shape (ReDoS risk)"},
		{"different quantifiers pass the probe", "a*+", "invalid regex: "},
		{"escaped plus, then a quantifier", `\++`, "nested-quantifier shape (ReDoS risk)"},
		{"no-break space before the quantifier", "(a+)\u00a0+", "nested-quantifier shape (ReDoS risk)"},
		{"depth two", "((a+)b)+", "nested-quantifier shape (ReDoS risk)"},
		{"depth two, quantifier outside the inner group", "((a)+)+", ""},
		{"depth three", "(((a+)b)c)+", ""},
		{"bounds are not probed", "(a{1,9})+", ""},
		{".NET inline option", "(?i)a", "invalid regex: "},
		{".NET atomic group", "(?>a)", "invalid regex: "},
		{".NET comment", "(?#a)", "invalid regex: "},
		{".NET quoted name", "(?'n'a)", "invalid regex: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			re, fault := checkPattern(tt.pattern)
			if (fault != tt.fault && (tt.fault != "invalid regex: " || !strings.HasPrefix(fault, tt.fault))) || (re == nil) != (fault != "") {
				t.Errorf("checkPattern(%.40q) = %v, %q, want fault %q", tt.pattern, re, fault, tt.fault)
			}
		})
	}
}

// OpenChrome's probes look at the text alone: some dangerous patterns pass, and
// some harmless ones do not.
func TestNestedQuantifier(t *testing.T) {
	tests := map[string]bool{
		"": false, "a+b*": false, "(a+)": false, "(a+)b": false, "(a)+": false, "a*+": false, "((a)+)+": false, "(a{1,9})+": false, "(a+){2,}": false, "(a|aa)+": false,
		"a++": true, "a**": true, "[++]": true, `\++`: true,
		"(a+)+": true, "(a*)*": true, "(a+)\t\u00a0\ufeff\u2028*": true, "(a+)\u0085+": false, "(a+\n)\v+": true, `(\*)*`: true,
		"((a+))+": true, "((a+)b)+": true, "(b(a+))*": true, "((a+)b)": false, "(((a+)b)c)+": false, `(a+\))*`: false,
	}
	for source, want := range tests {
		need.Is(t, fmt.Sprintf("%q", source), want, nestedQuantifier.MatchString(source))
	}
}
