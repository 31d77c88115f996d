package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
)

// What the output of each preset says becomes the same numbers: input without cache, and reasoning
// apart. What it does not say, or only guesses, is unknown.
func TestSaid(t *testing.T) {
	const codex = `{"type":"thread.started"}
not JSON
{"type":"item.completed","item":{"type":"agent_message","text":"first"}}
{"type":"item.completed","item":{"type":"mcp_tool_call","text":"no"}}
{"type":"item.completed","item":{"type":"agent_message","text":"Sent."}}
{"type":"turn.completed","usage":{"input_tokens":1000,"cached_input_tokens":600,"output_tokens":50,"reasoning_output_tokens":20}}
`
	const opencode = `{"type":"step_finish","part":{"tokens":{"input":10,"output":2,"reasoning":1,"cache":{"read":5,"write":3}},"cost":COST}}
{"type":"text","part":{"text":"Done."}}
{"type":"step_finish","part":{"tokens":{"input":20,"output":3,"reasoning":0,"cache":{"read":0,"write":0}},"cost":0}}
`
	tests := []struct {
		name, preset, output string
		want                 string // JSON of [adapter.Agent]
	}{
		{"claude", "claude-code", `{"type":"result","subtype":"success","is_error":false,"result":"Done.","total_cost_usd":0.25,"usage":{"input_tokens":3,"cache_read_input_tokens":4,"cache_creation_input_tokens":5,"output_tokens":6},"modelUsage":{"m":{"costBasis":"list"}}}`,
			`{"answer":"Done.","usage":{"inputTokens":3,"cachedInputTokens":4,"cacheWriteTokens":5,"outputTokens":6},"costUsd":0.25}`},
		{"claude guesses the cost", "claude-code", `{"result":"Done.","total_cost_usd":0.25,"modelUsage":{"m":{"costBasis":"unknown"}}}`, `{"answer":"Done."}`},
		{"claude has an outage", "claude-code", `{"is_error":true,"subtype":"success","result":"API Error: 529 Overloaded"}`, `{"answer":"API Error: 529 Overloaded","outage":"the agent's provider failed: API Error: 529 Overloaded"}`},
		{"claude has a wrong key", "claude-code", `{"is_error":true,"result":"API Error: 401 invalid x-api-key"}`, `{"answer":"API Error: 401 invalid x-api-key"}`},
		{"claude says 500 and has no error", "claude-code", `{"is_error":false,"result":"I bought 500 bolts"}`, `{"answer":"I bought 500 bolts"}`},
		{"claude was killed", "claude-code", "", `{}`},
		{"codex", "codex", codex, `{"answer":"Sent.","usage":{"inputTokens":400,"cachedInputTokens":600,"outputTokens":30,"reasoningTokens":20}}`},
		{"codex has an outage", "codex", `{"type":"turn.failed","error":{"message":"unexpected status 503 Service Unavailable"}}`, `{"outage":"the agent's provider failed: unexpected status 503 Service Unavailable"}`},
		{"codex has a wrong key", "codex", `{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}`, `{}`},
		{"gemini", "gemini-cli", "warning\n" + `{"response":"Done.","stats":{"models":{"a":{"api":{"totalRequests":2},"tokens":{"input":10,"cached":1,"candidates":3,"thoughts":4}},"b":{"api":{"totalRequests":1},"tokens":{"input":5,"cached":0,"candidates":1,"thoughts":0}}}}}`,
			`{"answer":"Done.","usage":{"requests":3,"inputTokens":15,"cachedInputTokens":1,"outputTokens":4,"reasoningTokens":4}}`},
		{"gemini has an outage", "gemini-cli", `{"error":{"type":"ApiError","message":"x","code": 503}}`, `{"outage":"the agent's provider failed: \"code\": 503"}`},
		{"opencode", "opencode", cost(opencode, "0.5"), `{"answer":"Done.","usage":{"inputTokens":30,"cachedInputTokens":5,"cacheWriteTokens":3,"outputTokens":5,"reasoningTokens":1},"costUsd":0.5}`},
		{"opencode does not know the price", "opencode", cost(opencode, "0"), `{"answer":"Done.","usage":{"inputTokens":30,"cachedInputTokens":5,"cacheWriteTokens":3,"outputTokens":5,"reasoningTokens":1}}`},
		{"opencode says a cost above a million", "opencode", cost(opencode, "1e308"), `{"answer":"Done.","usage":{"inputTokens":30,"cachedInputTokens":5,"cacheWriteTokens":3,"outputTokens":5,"reasoningTokens":1}}`},
		{"opencode has an outage", "opencode", `{"type":"error","error":{"data":{"statusCode":429}}}`, `{"outage":"the agent's provider failed: 429"}`},
		{"opencode reaches no provider", "opencode", `{"type":"error","error":{"name":"APIError","data":{"message":"Cannot connect to API: Was there a typo in the url or port?"}}}`, `{"outage":"the agent's provider failed: Cannot connect to API: Was there a typo in the url or port?"}`},
		{"opencode has a wrong key", "opencode", `{"type":"error","error":{"data":{"message":"the key is wrong","statusCode":401}}}`, `{}`},
		{"numbers that are none", "claude-code", `{"result":7,"total_cost_usd":"x","usage":{"input_tokens":1.5,"output_tokens":"6","cache_read_input_tokens":2}}`, `{"usage":{"cachedInputTokens":2}}`},
		{"less than nothing", "codex", `{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":6}}`, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := findPreset(tt.preset)
			var got, want adapter.Agent
			need.OK(t, json.Unmarshal([]byte(tt.want), &want))
			p.read(tt.output, tt.output, true, &got)
			need.Equal(t, "", want, got)
			if tt.name == "codex" {
				var cut adapter.Agent
				p.read(tt.output, tt.output, false, &cut)
				if cut.Usage != nil || cut.Answer != "Sent." {
					t.Errorf("an output that was cut says %+v", cut)
				}
			}
		})
	}
}

func cost(output, usd string) string { return strings.Replace(output, "COST", usd, 1) }

func FuzzSaid(f *testing.F) {
	f.Add(`{"type":"turn.completed","usage":{"input_tokens":1}}`)
	f.Add("\n{\"result\":\"x\"}")
	all := presets()
	f.Fuzz(func(t *testing.T, output string) {
		for _, p := range all {
			var a adapter.Agent
			p.read(output, output, true, &a)
			if !possible(a.Usage) || !possibleCost(a.CostUSD) {
				t.Errorf("%s: %q is read as %+v", p.name, output, a)
			}
		}
	})
}
