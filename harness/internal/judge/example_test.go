package judge_test

import (
	"encoding/json"
	"fmt"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

func ExampleParse() {
	_, faults := judge.Parse([]byte(`{"kind": "and", "children": [
		{"kind": "url", "pattern": "^https://example\\.com/("},
		{"kind": "dom_count", "selector": "li", "op": "==", "value": 2}
	]}`))
	for _, f := range faults {
		fmt.Println(f)
	}
	// Output:
	// $.children.0.pattern: invalid regex: /^https://example\.com/(/: missing closing )
	// $.children.1.op: expected one of eq|gte|lte
}

func ExampleJudge() {
	c, _ := judge.Parse([]byte(`{"kind": "and", "children": [
		{"kind": "url", "pattern": "/thanks$"},
		{"kind": "dom_text", "selector": "h1", "contains": "Thank you"}
	]}`))
	var facts evidence.Facts
	err := json.Unmarshal([]byte(`{"url": "https://example.com/thanks", "dom_text": {"h1": "Thank\u00a0you!"}}`), &facts)
	if err != nil {
		fmt.Println(err)
		return
	}
	in := judge.Input{Facts: &facts}
	j := judge.Judge(c, in)
	fmt.Println(j.Verdict)
	f := judge.FirstFailing(c, in, j)
	fmt.Println(f.Path, f.Expected)
	fmt.Println(f.Observed)
	// Output:
	// fail
	// $.children.1 the text of h1 contains "Thank you"
	// "Thank\u00a0you!"
}
