package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/normal"
	"github.com/openchrome/bench/harness/internal/tell/word"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// episode is the state of an episode whose stop has not come yet.
type episode struct {
	task      record.Task
	result    Episode
	facts     *record.Facts
	judgement *judge.Judgement
	progress  progress
	tools     int         // that the server listed at the start
	seq       int         // of the last event
	holds     bool        // a judgement says that the contract holds
	sent      tokens.Size // the arguments of the last call
	normal    normal.Normaliser
	digest    hash.Hash
	texts     *texts // of all episodes
	words     word.Reader
}

func newEpisode(name, runID string, reset *record.Reset, of *server.Server, texts *texts) *episode {
	t := reset.Task
	ep := &episode{
		task: t, tools: len(reset.Tools), digest: sha256.New(), texts: texts,
		words: word.Reader{Server: of},
	}
	ep.result = Episode{
		Name: name, RunID: runID, TaskID: t.ID, Under: t.Under, Title: t.Title, Repetition: reset.Repetition,
		Category: t.Category, Tags: t.Tags, MaxSteps: t.MaxSteps, MaxDurationMs: t.MaxDurationMs,
		Artifacts: artifacts(runID),
	}
	if t.Policy != "" && reset.ToolSize != nil {
		ep.result.InputTokens = NewInputTokens(*reset.ToolSize)
	}
	return ep
}

// follow makes ep the attempt after earlier.
func (ep *episode) follow(earlier *Episode) {
	a := Attempt{earlier.Status, earlier.Reason, earlier.Steps}
	if n := len(earlier.Calls); a.Status == "" && n > 0 {
		a.Steps = earlier.Calls[n-1].Step
	}
	ep.result.Attempts = slices.Concat(earlier.Attempts, []Attempt{a}) // equal episodes share the earlier ones
	ep.result.Retries = earlier.Retries
	if a.Status != "" && a.Status != record.Interrupted {
		ep.result.Retries++
	}
}

// add takes the episode's next event and returns its result at the stop.
func (ep *episode) add(e record.Event) (*Episode, error) {
	got, err := ep.words.Add(e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Episode, err)
	}
	if got != nil { // a trace has the seq of the event before it, and is in no digest
		if e.Seq != ep.seq {
			return nil, fmt.Errorf("trace of %q has seq %d, want %d: events are missing", e.Episode, e.Seq, ep.seq)
		}
		ep.heard(got)
		return nil, nil
	}
	if ep.seq++; e.Seq != ep.seq {
		return nil, fmt.Errorf("%s of %q has seq %d, want %d: events are missing", e.Body.Type(), e.Episode, e.Seq, ep.seq)
	}
	ep.digest.Write(ep.normal.Line(e))
	r := &ep.result
	switch b := e.Body.(type) {
	case *record.ToolCall:
		if e.By == record.ByAdapter {
			ep.called(b)
		}
	case *record.ToolResult:
		if e.By == record.ByAdapter {
			ep.answered(b)
			ep.finish(b, ep.normal.Last)
		}
	case *record.Progress:
		ep.progress.learn(b)
	case *record.Facts:
		ep.facts, r.FinalURL, r.Waited = b, ep.normal.Tabs(b.FinalURL), b.Waited
	case *record.ContractEval:
		ep.judged(b)
	case *record.Agent:
		r.AgentSaid = &AgentSaid{*b, ep.tools}
	case *record.Stop:
		if b.Status == record.Passed && !ep.holds {
			return nil, fmt.Errorf("stop of %q says passed, and no judgement does", e.Episode)
		}
		return ep.stop(b), nil
	}
	return nil, nil
}

func (ep *episode) answered(b *record.ToolResult) {
	r := &ep.result
	isError := b.IsError()
	if isError {
		r.OpenchromeErrors++
	}
	if b.Step > 0 && b.Failure == "" {
		ep.progress.step(b.Tool, isError)
	}
	if b.Drift != nil {
		r.ChangedAnswers = append(r.ChangedAnswers, ChangedAnswer{b.Step, b.Tool, *b.Drift, record.Answered(isError, strings.Join(ep.normal.Last.Texts, "\n"))})
	}
	if h := b.Hint; h != nil {
		i := slices.IndexFunc(r.Hints, func(c HintCount) bool { return c.Rule == h.Rule })
		if i < 0 {
			i, r.Hints = len(r.Hints), append(r.Hints, HintCount{Rule: h.Rule})
		}
		r.Hints[i].Count++
	}
}

func (ep *episode) judged(b *record.ContractEval) {
	r := &ep.result
	r.Evidence, _ = json.Marshal(normal.Names(&ep.normal, b.Judgement.Evidence))
	ep.holds = b.Judgement.Verdict == judge.Pass
	ep.judgement = &b.Judgement
	r.WrongSideEffects = nil
	for _, h := range b.WrongSideEffects {
		r.WrongSideEffects = append(r.WrongSideEffects, ep.normal.Text(h))
	}
}

// explain adds the tree of a judged contract, and the part that does not hold, if there is
// one. [Episodes] keeps a tree once for equal episodes.
func (ep *episode) explain(c *judge.Contract) {
	if c == nil || ep.judgement == nil {
		return
	}
	in := Input(ep.facts)
	ep.result.Tree = new(normal.Names(&ep.normal, judge.Explain(c.Live(), in, *ep.judgement)))
	if ep.holds {
		return
	}
	ep.result.Explanation = ep.result.Tree
	ep.result.FailedContract = normal.Names(&ep.normal, judge.FirstFailing(c.Live(), in, *ep.judgement))
}

// Input returns the facts of a logged episode as input for judging. Nil facts
// give an input without a snapshot.
func Input(f *record.Facts) judge.Input {
	if f == nil {
		return judge.Input{}
	}
	in := judge.Input{Facts: f.Facts, SessionID: f.SessionID, Now: time.UnixMilli(f.NowMs), Classes: f.Classes}
	if f.Provenance != nil {
		in.Provenance = *f.Provenance
	}
	return in
}

func (ep *episode) stop(b *record.Stop) *Episode {
	r := &ep.result
	r.Status, r.Success, r.Cause, r.Reason = b.Status, b.Status == record.Passed, b.Cause, ep.normal.Reason(b)
	if b.Cause == record.CauseUnsupported {
		r.Unsupported = ep.normal.Text(b.Error)
	}
	if r.AnswerChanged() {
		r.Reason = record.ChangedReason(r.ChangedAnswers[0].Step, r.ChangedAnswers[0].String())
	}
	r.Steps, r.DurationMs = b.Steps, b.DurationMs
	r.KnownDefect = b.KnownDefect(ep.task)
	if r.Policy != "" {
		r.Outcome = outcomeOf(b, len(r.WrongSideEffects) > 0)
		r.Looked, r.Found = b.Looked, b.Found
	}
	r.ServerEnded, r.Page, r.PageMissing = ep.normal.Text(b.ServerEnded), b.Page, b.PageMissing
	r.Ended = b.Ended
	for _, m := range b.Missed {
		m.At = time.Time{}
		ep.show(&m)
		r.Missed = append(r.Missed, m)
	}
	ep.asked(b.Requests)
	for i := range r.Calls {
		if c := &r.Calls[i]; r.Success { // so that equal episodes can share them
			c.Trace = nil
		} else if c.Trace != nil {
			c.Trace.Survey = record.Survey{}
		}
	}
	r.NoProgressEpisodes = ep.progress.rows
	r.Recovered = r.Success && r.OpenchromeErrors > 0
	slices.SortFunc(r.Hints, func(a, b HintCount) int { return strings.Compare(a.Rule, b.Rule) })
	r.Digest = "sha256:" + hex.EncodeToString(ep.digest.Sum(nil))
	return r
}

// show finds the fields that a request should have sent on the pages before it.
func (ep *episode) show(m *record.Missed) {
	m.Unmet = slices.Clone(m.Unmet)
	for i := range m.Unmet {
		u := &m.Unmet[i]
		for _, c := range slices.Backward(ep.result.Calls) {
			if u.Of != "field" || u.Shown != nil || c.Trace == nil || m.Sent != "" && c.Step > m.Step {
				continue
			}
			var all []record.Control
			for _, one := range c.Trace.Survey.List {
				if one.Field == u.Name && one.Role != "hidden" {
					all = append(all, one)
				}
			}
			at := slices.IndexFunc(all, func(one record.Control) bool { return one.Raw == u.Value && u.Value != "" })
			if at >= 0 || len(all) == 1 {
				e := all[max(at, 0)].Element
				e.ID, e.Value, e.Box = 0, "", nil
				u.Shown = &e
			}
		}
	}
}
