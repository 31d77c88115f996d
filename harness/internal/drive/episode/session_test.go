package episode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
)

// canned is a session whose tools are functions.
type canned struct {
	tools map[string]func(ctx context.Context, args string) (adapter.Result, error)
	mu    sync.Mutex
	calls []string
}

func (s *canned) Identity() record.Server {
	return record.Server{Launcher: "canned", Name: "canned", Version: "1", Isolation: "fresh"}
}

func (s *canned) Tools() []adapter.Tool {
	var list []adapter.Tool
	for name := range s.tools {
		list = append(list, adapter.Tool{Name: name})
	}
	return list
}

func (s *canned) Listed(context.Context) []adapter.Tool { return s.Tools() }

func (s *canned) Call(ctx context.Context, c adapter.Call) (adapter.Result, error) {
	s.mu.Lock()
	s.calls = append(s.calls, c.Tool)
	s.mu.Unlock()
	f, ok := s.tools[c.Tool]
	if !ok {
		return adapter.Result{RPCError: &adapter.RPCError{Code: -32603, Message: "Unknown tool: " + c.Tool}}, nil
	}
	return f(ctx, string(c.Args))
}

func (s *canned) Requests(context.Context) (web.Log, error) {
	return web.Log{}, errors.New("canned sessions have no web")
}

func (s *canned) Why(ctx context.Context) (web.Log, error) { return s.Requests(ctx) }

func (s *canned) Draw(context.Context, web.Draw) error { return nil }

func (s *canned) PutFiles(context.Context, map[string][]byte) (map[string]string, error) {
	return nil, nil
}

func (s *canned) Server() *server.Server { return server.OpenChrome() }

func (s *canned) Observer() *observer.Observer { return nil }

func (s *canned) Halt(context.Context) (func(context.Context) error, error) {
	return nil, errors.New("nothing to stop")
}

func (s *canned) Memory() int64              { return 0 }
func (s *canned) Ping(context.Context) error { return nil }

func (s *canned) Outage(context.Context) error { return nil }

func (s *canned) Close() error { return nil }

type tool = func(context.Context, string) (adapter.Result, error)

// text answers always the same.
func text(s string) tool {
	r := textResult(s, false)
	return func(context.Context, string) (adapter.Result, error) { return r, nil }
}

func failing(s string) tool {
	return func(context.Context, string) (adapter.Result, error) { return textResult(s, true), nil }
}

// silent never answers; it lets go when the call is cancelled.
func silent(ctx context.Context, _ string) (adapter.Result, error) {
	<-ctx.Done()
	return adapter.Result{}, ctx.Err()
}

func dead(context.Context, string) (adapter.Result, error) {
	return adapter.Result{}, &session.Error{Tool: "x", Err: errors.New("transport closed: exit status 3")}
}

func textResult(s string, isError bool) adapter.Result {
	raw, _ := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": s}}, "isError": isError})
	return adapter.NewResult(raw)
}

const tab = "55D204C83A89332D6F1694E6F5844B05"

// page answers as a page with one heading: what a session needs to pass.
func page(h1 string) map[string]tool {
	url := textResult("https://example.com/", false)
	facts := textResult(fmt.Sprintf(`{"url":"https://example.com/","state":"complete","text":{"h1":%q},"count":{},"errors":{}}`, h1), false)
	return map[string]tool{
		"navigate": text(`{"action":"navigate","url":"https://example.com/","tabId":"` + tab + `"}`),
		"javascript_tool": func(_ context.Context, args string) (adapter.Result, error) {
			if !strings.Contains(args, "JSON.stringify") {
				return url, nil
			}
			return facts, nil
		},
		"read_page": text("[page_stats] url: https://example.com/"),
	}
}

func with(tools map[string]tool, name string, f tool) map[string]tool {
	tools[name] = f
	return tools
}

// calls is an adapter that makes the calls in order and is done.
func calls(tools ...string) adapter.Factory {
	return func() (adapter.Adapter, error) {
		return next(func(_ context.Context, s adapter.State) (adapter.Decision, error) {
			if n := len(s.Steps) - 1; n < len(tools) {
				return adapter.Decision{Call: adapter.Call{Tool: tools[n]}}, nil
			}
			return adapter.Decision{Done: true}, nil
		}), nil
	}
}

// expects is [calls], with a text that the answer to each call must contain. The texts are
// in lines of a transcript.
func expects(want string, tools ...string) adapter.Factory {
	a, _ := calls(tools...)()
	return decide(func(ctx context.Context, s adapter.State) (adapter.Decision, error) {
		d, err := a.Next(ctx, s)
		d.Expect = adapter.Expect{Contains: []string{want}, At: fmt.Sprintf("transcript.jsonl:%d", len(s.Steps))}
		return d, err
	})
}

type next func(context.Context, adapter.State) (adapter.Decision, error)

func (f next) Next(ctx context.Context, s adapter.State) (adapter.Decision, error) { return f(ctx, s) }

func decide(f next) adapter.Factory { return func() (adapter.Adapter, error) { return f, nil } }

// options has the parts of an episode on canned tools; its events go to log.
func options(t testing.TB, tools map[string]tool, a adapter.Factory, log *[]record.Event) episode.Options {
	t.Helper()
	success, faults := judge.Parse([]byte(`{"kind":"dom_text","selector":"h1","contains":"Example"}`))
	need.None(t, faults)
	o := episode.Options{
		Task: task.Spec{
			ID: "t", Title: "T", StartURL: "https://example.com/", Goal: "G", Success: success,
			MaxSteps: 5, MaxDurationMs: 10_000, Category: "info_retrieval",
		},
		Repetition: 1, Adapter: a,
		Emit: func(e record.Event) error { *log = append(*log, e); return nil },
	}
	if tools != nil {
		o.Session = &canned{tools: tools}
	}
	return o
}
