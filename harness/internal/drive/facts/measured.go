package facts

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// The tools of a newer OpenChrome that return facts.
const (
	screenshotTool  = "page_screenshot"
	performanceTool = "performance_metrics"
	consoleTool     = "console_capture"
)

func readMeasured(ctx context.Context, s session.Session, r Request, f *evidence.Facts) {
	if r.Needs.Screenshot {
		readScreenshot(ctx, s, r, f)
	}
	if r.Needs.Performance {
		readContractFacts(ctx, s, f, evidence.FactPerformance, performanceTool, map[string]any{"tabId": r.TabID})
	}
	if r.Needs.Console {
		readContractFacts(ctx, s, f, evidence.FactConsole, consoleTool, map[string]any{"tabId": r.TabID, "action": "get"})
	}
}

func readScreenshot(ctx context.Context, s session.Session, r Request, f *evidence.Facts) {
	const name = evidence.FactScreenshot
	result, ok := ask(ctx, s, f, name, screenshotTool, map[string]any{"tabId": r.TabID, "format": "png"})
	if !ok {
		return
	}
	var v struct {
		Content []struct{ Type, Data, MimeType string }
	}
	json.Unmarshal(result.Raw, &v)
	for _, item := range v.Content {
		if item.Type == "image" && item.MimeType == "image/png" {
			f.ScreenshotPNG = item.Data
			return
		}
	}
	f.SetUnavailable(name, screenshotTool+" returned no PNG image")
}

// readContractFacts appends the contract_facts in a tool's answer.
func readContractFacts(ctx context.Context, s session.Session, f *evidence.Facts, name, tool string, args map[string]any) {
	result, ok := ask(ctx, s, f, name, tool, args)
	if !ok {
		return
	}
	var v struct {
		Facts []json.RawMessage `json:"contract_facts"`
	}
	if !result.JSON(&v) || v.Facts == nil {
		f.SetUnavailable(name, "the server's "+tool+" returned no contract_facts")
		return
	}
	var all []json.RawMessage
	json.Unmarshal(f.ContractFacts, &all)
	f.ContractFacts, _ = json.Marshal(append(all, v.Facts...)) // both were read from valid JSON
}

// ask calls a tool for a fact. If there is no answer, it records the fact as unavailable.
func ask(ctx context.Context, s session.Session, f *evidence.Facts, name, tool string, args map[string]any) (r adapter.Result, ok bool) {
	err := fmt.Errorf("the server has no tool %s", tool)
	if s.Reach(ctx, tool) {
		r, err = callJSON(ctx, s, tool, args)
	}
	if err != nil {
		f.SetUnavailable(name, err.Error())
	}
	return r, err == nil
}
