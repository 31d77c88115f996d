package agent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/openchrome/bench/harness/adapter"
)

// said says what the output of an agent means.
type said struct {
	Lines bool     `json:"lines"` // each line is a JSON object; otherwise the output is one
	Says  []string `json:"says"`  // the lines of a jq program

	code *gojq.Code
}

// The program gets an array of the objects in stdout, and all that was printed as $all. It returns an object:
// the answer, the usage by the names of [adapter.Usage], costUsd, and what the provider said in an outage. What
// is null is not known.
const (
	before = `
		def sum(f): [.[] | f? | values] | if . == [] or any(type != "number") then null else add end;
		def count(f): sum(f) | if . == null or . == floor then . else null end;
		def less(a; b): if a == null or b == null then null else a - b end;
		def last(f): [.[] | f? | strings] | last;
		def matching(f; re): [f? | strings, numbers | tostring | select(test("(?i)" + re))] | first;
	`
	after = ` | .usage |= (with_entries(select(.value != null)) | if . == {} then null else . end)`
)

// compile prepares the program.
func (s *said) compile() error {
	query, err := gojq.Parse(before + strings.Join(s.Says, "\n") + after)
	if err == nil {
		s.code, err = gojq.Compile(query, gojq.WithVariables([]string{"$all"}))
	}
	return err
}

// read adds what the output says to a. If it is not whole, sums are unknown.
func (s said) read(stdout, all string, whole bool, a *adapter.Agent) {
	v, _ := s.code.Run(s.objects(stdout), all).Next()
	if _, failed := v.(error); failed {
		return
	}
	var got struct {
		Answer, Outage string
		Usage          *adapter.Usage
		CostUSD        *float64
	}
	raw, err := gojq.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &got)
	}
	if got.Answer != "" {
		a.Answer = got.Answer
	}
	if whole && err == nil && got.Usage != nil && possible(got.Usage) { // an error is a count that is none
		a.Usage = got.Usage
	}
	if whole && got.CostUSD != nil && possibleCost(got.CostUSD) {
		a.CostUSD = got.CostUSD
	}
	if got.Outage != "" {
		a.Outage = "the agent's provider failed: " + got.Outage
	}
}

func (s said) objects(text string) (objects []any) {
	add := func(raw []byte) {
		var v map[string]any
		if json.NewDecoder(bytes.NewReader(raw)).Decode(&v) == nil && v != nil {
			objects = append(objects, v)
		}
	}
	if !s.Lines {
		if i := strings.Index("\n"+text, "\n{"); i >= 0 { // warnings can come before it
			add([]byte(text[i:]))
		}
		return objects
	}
	for line := range strings.Lines(text) {
		add([]byte(line))
	}
	return objects
}
