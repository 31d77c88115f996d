package harness_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/record"
)

// agentsEnv names a node_modules folder that holds the programs of the presets.
const agentsEnv = "OPENCHROME_BENCH_AGENTS"

// An api is how a provider of models speaks: where it is asked, how a request shows the answers to
// calls that were made, and how a call, a text and the usage are written. Every preset has one.
type api struct {
	agent    string            // the value of -adapter
	env      map[string]string // its key, and its address before that of the server
	path     string            // of requests, a regular expression
	answered string            // is in a request once for each call that was answered
	write    func(turn) []any  // the events of a stream
	usage    func(n int) adapter.Usage
}

// turn is what the model answers: a call, or a text.
type turn struct {
	n    int // of the answer
	tool string
	args string
	text string
}

var apis = []api{
	{
		agent: "agent:claude-code:claude-sonnet-4-5", env: map[string]string{"ANTHROPIC_API_KEY": "key-of-anthropic", "ANTHROPIC_BASE_URL": ""},
		path: `/v1/messages$`, answered: `"type":"tool_result"`,
		write: func(t turn) []any {
			block, delta, why := m{"type": "text", "text": ""}, m{"type": "text_delta", "text": t.text}, "end_turn"
			if t.tool != "" {
				block, delta, why = m{"type": "tool_use", "id": fmt.Sprint("toolu_", t.n), "name": t.tool, "input": m{}}, m{"type": "input_json_delta", "partial_json": t.args}, "tool_use"
			}
			usage := m{"input_tokens": 100 + t.n, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 20, "output_tokens": 1}
			return []any{
				m{"type": "message_start", "message": m{"id": fmt.Sprint("msg_", t.n), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": []any{}, "stop_reason": nil, "usage": usage}},
				m{"type": "content_block_start", "index": 0, "content_block": block}, m{"type": "content_block_delta", "index": 0, "delta": delta}, m{"type": "content_block_stop", "index": 0},
				m{"type": "message_delta", "delta": m{"stop_reason": why}, "usage": m{"output_tokens": 30 + t.n}}, m{"type": "message_stop"},
			}
		},
		usage: func(n int) adapter.Usage {
			return adapter.Usage{InputTokens: new(100 + n), CacheWriteTokens: new(10), CachedInput: new(20), OutputTokens: new(30 + n)}
		},
	},
	{
		agent: "agent:codex:gpt-5", env: map[string]string{"OPENAI_API_KEY": "key-of-openai", "OPENAI_BASE_URL": "/v1"},
		path: `/v1/responses$`, answered: `"type":"function_call_output"`,
		write: func(t turn) []any {
			item := m{"type": "message", "role": "assistant", "id": fmt.Sprint("msg_", t.n), "content": []any{m{"type": "output_text", "text": t.text}}}
			if t.tool != "" {
				item = m{"type": "function_call", "call_id": fmt.Sprint("call_", t.n), "namespace": "mcp__browser", "name": t.tool, "arguments": t.args}
			}
			id := fmt.Sprint("resp_", t.n)
			return []any{
				m{"type": "response.created", "response": m{"id": id}}, m{"type": "response.output_item.done", "item": item},
				m{"type": "response.completed", "response": m{"id": id, "usage": m{
					"input_tokens": 120 + t.n, "input_tokens_details": m{"cached_tokens": 20},
					"output_tokens": 35 + t.n, "output_tokens_details": m{"reasoning_tokens": 5}, "total_tokens": 155 + 2*t.n,
				}}},
			}
		},
		usage: func(n int) adapter.Usage {
			return adapter.Usage{InputTokens: new(100 + n), CachedInput: new(20), OutputTokens: new(30 + n), ReasoningTokens: new(5)}
		},
	},
	{
		agent: "agent:gemini-cli:gemini-2.5-pro", env: map[string]string{"GEMINI_API_KEY": "key-of-gemini", "GOOGLE_GEMINI_BASE_URL": ""},
		path: `:streamGenerateContent$`, answered: `"functionResponse":`,
		write: func(t turn) []any {
			part := m{"text": t.text}
			if t.tool != "" {
				part = m{"functionCall": m{"id": fmt.Sprint("call_", t.n), "name": t.tool, "args": json.RawMessage(t.args)}}
			}
			return []any{m{
				"candidates":    []any{m{"index": 0, "finishReason": "STOP", "content": m{"role": "model", "parts": []any{part}}}},
				"usageMetadata": m{"promptTokenCount": 120 + t.n, "cachedContentTokenCount": 20, "candidatesTokenCount": 30 + t.n, "thoughtsTokenCount": 5, "totalTokenCount": 155 + 2*t.n},
			}}
		},
		usage: func(n int) adapter.Usage {
			return adapter.Usage{Requests: new(1), InputTokens: new(100 + n), CachedInput: new(20), OutputTokens: new(30 + n), ReasoningTokens: new(5)}
		},
	},
	{
		agent: "agent:opencode:openrouter/openai/gpt-5", env: map[string]string{"OPENROUTER_API_KEY": "key-of-openrouter", "OPENROUTER_BASE_URL": "/v1"},
		path: `/v1/chat/completions$`, answered: `"role":"tool"`,
		write: func(t turn) []any {
			delta, why := m{"role": "assistant", "content": t.text}, "stop"
			if t.tool != "" {
				delta, why = m{"role": "assistant", "tool_calls": []any{m{"index": 0, "id": fmt.Sprint("call_", t.n), "type": "function", "function": m{"name": t.tool, "arguments": t.args}}}}, "tool_calls"
			}
			chunk := func(choices []any, usage any) m {
				return m{"id": fmt.Sprint("chat_", t.n), "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, "usage": usage}
			}
			return []any{
				chunk([]any{m{"index": 0, "delta": delta, "finish_reason": nil}}, nil), chunk([]any{m{"index": 0, "delta": m{}, "finish_reason": why}}, nil),
				chunk([]any{}, m{"prompt_tokens": 120 + t.n, "prompt_tokens_details": m{"cached_tokens": 20}, "completion_tokens": 35 + t.n, "completion_tokens_details": m{"reasoning_tokens": 5}, "total_tokens": 155 + 2*t.n}),
			}
		},
		usage: func(n int) adapter.Usage {
			return adapter.Usage{InputTokens: new(100 + n), CachedInput: new(20), CacheWriteTokens: new(0), OutputTokens: new(30 + n), ReasoningTokens: new(5)}
		},
	},
}

type m = map[string]any

// asked finds in a prompt what local-form-submit wants, and the tab.
var asked = regexp.MustCompile(`tab with the id (\w+).*name ([^,]+), email ([^,]+), topic \\+"([^"\\]+)\\+", message \\+"([^"\\]+)\\+"\. Ask to be answered by (\w+)`)

// model is a server of scripted answers: it reads the page, sends the form and says so.
type model struct {
	api
	t     testing.TB
	wrong bool // the key is wrong

	mu    sync.Mutex
	sent  []adapter.Usage
	other int // requests that it refused
}

func (s *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t.Logf("%s %s, %d bytes", r.Method, r.URL, len(body))
	if dir := os.Getenv("TEST_REQUESTS"); dir != "" {
		os.WriteFile(filepath.Join(dir, fmt.Sprint(time.Now().UnixNano())), body, 0o600)
	}
	found := asked.FindSubmatch(body)
	switch {
	case r.Method == http.MethodHead: // claude looks whether there is a server
		return
	case s.wrong:
		s.other++
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"type":"error","error":{"type":"authentication_error","code":401,"status":"UNAUTHENTICATED","message":"the key is wrong"}}`)
		return
	case !regexp.MustCompile(s.path).MatchString(r.URL.Path) || found == nil:
		s.other++
		http.NotFound(w, r)
		return
	}
	n := len(s.sent)
	answer := turn{n: n, text: "Sent."}
	args := m{"tabId": string(found[1])}
	tool := ""
	switch bytes.Count(body, []byte(s.answered)) {
	case 0:
		tool = "read_page"
	case 1:
		tool = "fill_form"
		args["fields"] = m{"Name": string(found[2]), "Email": string(found[3]), "Topic": string(found[4]), "Message": string(found[5]), "By " + string(found[6]): "true"}
		args["submit"] = "Send message"
	}
	if tool != "" {
		raw, _ := json.Marshal(args)
		name := regexp.MustCompile(`"name":"(\w*` + tool + `)"`).FindSubmatch(body)
		if name == nil {
			s.t.Errorf("%s: a request has no tool %s", s.agent, tool)
			http.NotFound(w, r)
			return
		}
		answer.tool, answer.args = string(name[1]), string(raw)
	}
	s.sent = append(s.sent, s.usage(n))
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range s.write(answer) {
		raw, _ := json.Marshal(event)
		if kind, ok := event.(m)["type"]; ok {
			fmt.Fprintf(w, "event: %s\n", kind)
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	if strings.Contains(s.path, "chat") {
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// The presets do a task with the real programs and a scripted model, confined to their endpoint and
// the model's port. They say what the model said that they used. A wrong key ends the run.
func TestRealAgents(t *testing.T) {
	modules, dist := os.Getenv(agentsEnv), os.Getenv("OPENCHROME_DIST")
	if modules == "" || dist == "" {
		t.Skipf("needs the agents: npm install them, and set %s to their node_modules, and OPENCHROME_DIST", agentsEnv)
	}
	t.Setenv("PATH", filepath.Join(modules, ".bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, api := range apis {
		for _, wrong := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/wrong=%t", strings.Split(api.agent, ":")[1], wrong), func(t *testing.T) {
				s := &model{api: api, t: t, wrong: wrong}
				server := httptest.NewServer(s)
				defer server.Close()
				for name, value := range api.env {
					if strings.HasSuffix(name, "_URL") {
						value = server.URL + value
					}
					t.Setenv(name, value)
				}
				o := onStandin(t.TempDir())
				o.Server, o.Package, o.Task, o.Adapter = "local", filepath.Dir(filepath.Dir(dist)), "local-form-submit", api.agent
				if wrong {
					o.Repetitions = 10
				}
				_, o.AgentPorts, _ = net.SplitHostPort(server.Listener.Addr().String())
				began := time.Now()
				err := harness.Run(t.Context(), o)
				r := reportOf(t, o.Out)
				e := r.Episodes.At(0)
				t.Logf("%.0f s, %s: %s; %+v; %d other requests; %s", time.Since(began).Seconds(), e.Status, e.Reason, r.Agent, s.other, e.AgentSaid.Answer)
				if wrong {
					if harness.ExitCode(err) != harness.ExitVoid || e.Status == record.Passed || s.other == 0 || time.Since(began) > 10*time.Minute {
						t.Errorf("got %v after %v, and %d requests", err, time.Since(began), s.other)
					}
					return
				}
				if err != nil || e.AgentSaid.Answer != "Sent." || s.other > 0 {
					t.Errorf("got %v, answer %q, %d other requests", err, e.AgentSaid.Answer, s.other)
				}
				if diff := cmp.Diff(s.total(), e.AgentSaid.Usage); diff != "" {
					t.Errorf("usage (-sent +said):\n%s", diff)
				}
				if logs, _ := filepath.Glob(filepath.Join(o.Out, "events", "*", "*", record.AgentLog)); t.Failed() {
					for _, log := range logs {
						text, _ := os.ReadFile(log)
						t.Logf("%s:\n%.8000s", log, text)
					}
				}
			})
		}
	}
}

// total is the sum of what was sent.
func (s *model) total() *adapter.Usage {
	sums := map[string]int{}
	for _, u := range s.sent {
		raw, _ := json.Marshal(u)
		var one map[string]int
		json.Unmarshal(raw, &one)
		for name, n := range one {
			sums[name] += n
		}
	}
	raw, _ := json.Marshal(sums)
	total := new(adapter.Usage)
	json.Unmarshal(raw, total)
	return total
}
