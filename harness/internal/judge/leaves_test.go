package judge_test

import (
	"fmt"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestLeaves(t *testing.T) {
	const text = `{"kind":"and","children":[
		{"kind":"url","pattern":"/done$"},
		{"kind":"not","child":{"kind":"or","children":[{"kind":"no_dialog"},{"kind":"dom_text","contains":"Sorry"}]}}]}`
	c, faults := judge.Parse([]byte(text))
	need.None(t, faults)
	need.Equal(t, "Leaves", []string{"$.children.0", "$.children.1.child.children.0", "$.children.1.child.children.1"}, paths(c))
	// A URL that fits and no dialog: the first half of the "or" makes the contract fail.
	in := judge.Input{Facts: &evidence.Facts{URL: new("https://a.test/done"), DOMText: &evidence.Text{}}}
	for _, test := range []struct {
		without []string
		left    []string
		verdict judge.Verdict
	}{
		{nil, []string{"$.children.0", "$.children.1.child.children.0", "$.children.1.child.children.1"}, judge.Fail},
		{[]string{"$.children.1.child.children.0"}, []string{"$.children.0", "$.children.1.child.children.1"}, judge.Pass},
		{[]string{"$.children.1.child.children.0", "$.children.1.child.children.1"}, []string{"$.children.0"}, judge.Pass},
		{[]string{"$.children.0"}, []string{"$.children.1.child.children.0", "$.children.1.child.children.1"}, judge.Fail},
	} {
		got := c
		for _, path := range test.without {
			got = got.Without(path)
		}
		need.Equal(t, fmt.Sprintf("without %v: leaves", test.without), test.left, paths(got))
		if v := judge.Judge(got, in).Verdict; v != test.verdict {
			t.Errorf("without %v: verdict %s, want %s", test.without, v, test.verdict)
		}
	}
	if got := c.Without("$.children.0").Without("$.children.1.child.children.0").Without("$.children.1.child.children.1"); got != nil {
		t.Errorf("without all leaves: %v is left", paths(got))
	}
}

func paths(c *judge.Contract) (out []string) {
	for _, l := range c.Leaves() {
		out = append(out, l.Path)
	}
	return out
}
