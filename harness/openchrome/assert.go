package openchrome

import (
	"context"
	"encoding/json"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
)

// SessionID is OpenChrome's name for the session of a stdio client; facts that it
// reads carry it.
const SessionID = "default"

// ProgressStatus returns what oc_progress_status says: progressing, stalling or
// stuck. An answer that says nothing of the kind gives the empty string.
func ProgressStatus(ctx context.Context, s Session) (string, error) {
	r, err := callJSON(ctx, s, "oc_progress_status", struct{}{})
	if err != nil {
		return "", err
	}
	var v struct {
		Status string `json:"status"`
	}
	r.JSON(&v)
	return v.Status, nil
}

// Assert has the server's own oc_assert judge the facts. The judgement is nil
// when there is none to compare, and missing says why: the two could not be
// shown the same facts, because some are unavailable or the contract asks for
// requests since the last tool call (oc_assert knows no since in a snapshot); or
// the answer cannot be read. The error is of a call without an answer.
func Assert(ctx context.Context, s Session, c *contract.Contract, in contract.Input) (j *contract.Judgement, missing string, err error) {
	if len(in.Facts.Unavailable) > 0 || in.Facts.LastToolCall != 0 {
		return nil, "oc_assert cannot be shown the same facts", nil
	}
	args, err := json.Marshal(map[string]any{
		"contract": c,
		"evidence": map[string]any{"snapshot": in.Facts, "provenance": in.Provenance},
	})
	if err != nil {
		return nil, err.Error(), nil
	}
	r, err := s.Call(ctx, event.Call{Tool: "oc_assert", Args: args})
	if err != nil {
		return nil, "", err
	}
	j = new(contract.Judgement)
	if r.IsError() || !r.JSON(j) || j.Verdict == "" {
		return nil, "oc_assert answered no verdict: " + display.Cut(r.Text(), excerpt), nil
	}
	return j, "", nil
}
