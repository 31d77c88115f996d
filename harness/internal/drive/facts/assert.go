package facts

import (
	"context"
	"encoding/json"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// SessionID is OpenChrome's name for the session of a stdio client. It is part of the facts
// that OpenChrome returns.
const SessionID = "default"

// Assert lets the server's oc_assert judge the facts. If there is no judgement to compare,
// j is nil and missing says why:
//   - some facts are unavailable, or the log of requests was full, so oc_assert cannot get
//     the same facts;
//   - the contract needs the requests since the last tool call, but oc_assert ignores
//     since in a snapshot;
//   - the answer cannot be read.
//
// err says why the call has no answer.
func Assert(ctx context.Context, s session.Session, c *judge.Contract, in judge.Input) (j *judge.Judgement, missing string, err error) {
	if len(in.Facts.Unavailable) > 0 || in.Facts.NetworkFull || in.Facts.LastToolCall != 0 {
		return nil, "oc_assert cannot receive the same facts", nil
	}
	args, err := json.Marshal(map[string]any{
		"contract": c,
		"evidence": map[string]any{"snapshot": in.Facts, "provenance": in.Provenance},
	})
	if err != nil {
		return nil, err.Error(), nil
	}
	r, err := s.Call(ctx, adapter.Call{Tool: s.Server().Listed("oc_assert", s.Tools()), Args: args})
	if err != nil {
		return nil, "", err
	}
	j = new(judge.Judgement)
	if r.IsError() || !r.JSON(j) || j.Verdict == "" {
		return nil, "oc_assert returned no verdict: " + display.Cut(r.Text(), excerpt), nil
	}
	return j, "", nil
}
