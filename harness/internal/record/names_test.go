package record

import (
	"strings"
	"testing"
)

func TestCheckRunID(t *testing.T) {
	for _, id := range []string{"v1.7.15", "b-1f2e3d", "1.0", "a_b.c-d", "latest.1", strings.Repeat("x.", 49) + "xx"} {
		if err := CheckRunID(id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", ".a", "a.", "a..b", "../a", "a/b", `a\b`, "a b", "a:b", "-a", strings.Repeat("x", 101),
		"latest", "README", "history", "changes", "con", "nul.1", "LPT1.x.y",
		// These are, or end like, names of files of a run.
		"a.canonical", "report.schema", "a.jsonl", "a.json", "a.MD", "a.html", "a.junit.xml", "a.bench.txt"} {
		if CheckRunID(id) == nil {
			t.Errorf("%q can be the name of a run", id)
		}
	}
}
