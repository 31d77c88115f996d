package judge

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestCertain(t *testing.T) {
	const any, one = `{"kind":"url","pattern":"."}`, `{"kind":"url","pattern":"^https://shop\\.test/"}`
	const many = `{"kind":"dom_count","selector":"p","op":"gte","value":0}`
	const none = `{"kind":"not","child":` + many + `}`
	for contract, want := range map[string][]Certain{
		any:                                     {{"$", Pass}},
		`{"kind":"url","pattern":"^https?://"}`: {{"$", Pass}},
		`{"kind":"url","pattern":"/"}`:          {{"$", Pass}},
		`{"kind":"url","pattern":"\\?"}`:        nil,
		`{"kind":"url","pattern":"^about:"}`:    nil,
		one:                                     nil,
		many:                                    {{"$", Pass}},
		none:                                    {{"$", Fail}},
		`{"kind":"dom_count","selector":"p","op":"gte","value":1}`:                                nil,
		`{"kind":"dom_count","selector":"p","op":"eq","value":0}`:                                 nil,
		`{"kind":"network","url_pattern":"https","status_in":[200,404],"since":"contract_enter"}`: {{"$", Pass}},
		`{"kind":"network","url_pattern":"https","status_in":[200],"since":"last_tool_call"}`:     nil,
		`{"kind":"network","url_pattern":"https","status_in":[500],"since":"contract_enter"}`:     nil,
		`{"kind":"network","url_pattern":"/receipt/","status_in":[200],"since":"contract_enter"}`: nil,
		`{"kind":"no_dialog"}`:                                 nil,
		`{"kind":"not","child":` + none + `}`:                  {{"$", Pass}},
		`{"kind":"not","child":` + one + `}`:                   nil,
		`{"kind":"and","children":[` + one + `,` + any + `]}`:  {{"$.children.1", Pass}},
		`{"kind":"and","children":[` + one + `,` + none + `]}`: {{"$", Fail}},
		`{"kind":"and","children":[` + any + `,` + many + `]}`: {{"$", Pass}},
		`{"kind":"or","children":[` + one + `,` + any + `]}`:   {{"$", Pass}},
		`{"kind":"or","children":[` + one + `,` + none + `]}`:  {{"$.children.1", Fail}},
		`{"kind":"or","children":[` + none + `,` + none + `]}`: {{"$", Fail}},
		`{"kind":"or","children":[` + one + `,{"kind":"not","child":{"kind":"and","children":[` + one + `,` + any + `]}}]}`: {{"$.children.1.child.children.1", Pass}},
	} {
		c, faults := Parse([]byte(contract))
		if len(faults) > 0 {
			t.Fatalf("%s: %v", contract, faults)
		}
		need.Equal(t, contract, want, c.Certain())
	}
}
