package judge_test

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestAsks(t *testing.T) {
	const end, url = `{"kind":"network","url_pattern":"^https://a\\.test/\\.end/paid$","status_in":[200],"since":"last_tool_call"}`, `{"kind":"url","pattern":"paid"}`
	for _, test := range []struct {
		name, contract string
		want           bool
	}{
		{"it", end, true},
		{"in an and", `{"kind":"and","children":[` + url + `,` + end + `]}`, true},
		{"a part of the URL", `{"kind":"network","url_pattern":"/.end/pa","status_in":[404,200],"since":"contract_enter"}`, true},
		{"forbidden", `{"kind":"not","child":` + end + `}`, false},
		{"another", `{"kind":"network","url_pattern":"/\\.end/sent$","status_in":[200],"since":"contract_enter"}`, false},
		{"no request", url, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, faults := judge.Parse([]byte(test.contract))
			need.None(t, faults)
			need.Is(t, "", test.want, c.Asks("https://a.test/.end/paid"))
		})
	}
}
