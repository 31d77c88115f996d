package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// prompt is what the agent is told. With a change of it, runs are not comparable any more.
const (
	prompt    = "Do the task below in the web browser. You control the browser with the tools of the MCP server " + serverName + ". The page %s is open%s. Use only these tools. Do the task yourself, to its end, and ask nothing: nobody answers. When it is done, stop, and say in a few words what you did.\n\nThe task: %s\n"
	promptTab = " in the tab with the id %s"
)

var promptDigest = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(prompt+promptTab)))

// promptOf returns the prompt of an episode. The id of the tab is in it if a tool wants it.
func promptOf(s adapter.State) string {
	tab := ""
	wants := func(t adapter.Tool) bool { return bytes.Contains(t.InputSchema, []byte(`"tabId"`)) }
	if s.TabID != "" && slices.ContainsFunc(s.Tools, wants) {
		tab = fmt.Sprintf(promptTab, s.TabID)
	}
	return fmt.Sprintf(prompt, s.StartURL, tab, s.Goal)
}

// The files and folders in the folder of an episode, beside its home and its temporary files.
const (
	workDir    = "work"
	configFile = "mcp.json"
	promptFile = "prompt.txt"
	resultFile = "result.json"
)

// fill makes what the agent finds in its folder, and returns its environment.
func (p *program) fill(s adapter.State) ([]string, error) {
	config, _ := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{serverName: map[string]any{
		"type": "http", "url": p.endpoint.url(), "headers": map[string]string{"Authorization": "Bearer " + p.token},
	}}}, "", "  ") // encoding texts cannot fail
	in := func(name string) string { return filepath.Join(p.dir, name) }
	text := promptOf(s)
	err := errors.Join(
		launch.MakeSessionDir(p.dir), os.Mkdir(in(workDir), 0o700),
		regular.WriteFile(p.dir, configFile, append(config, '\n')), regular.WriteFile(p.dir, promptFile, []byte(text)),
	)
	env := slices.Concat(launch.CleanEnv(p.dir), p.agent.env)
	for _, v := range []struct {
		name  string
		value any
	}{
		{"MCP_URL", p.endpoint.url()}, {"MCP_TOKEN", p.token}, {"MCP_CONFIG", in(configFile)},
		{"PROMPT", text}, {"PROMPT_FILE", in(promptFile)}, {"GOAL", s.Goal}, {"START_URL", s.StartURL}, {"TAB_ID", s.TabID},
		{"MAX_STEPS", s.MaxSteps}, {"MAX_DURATION_MS", s.MaxDuration.Milliseconds()}, {"AGENT_RESULT", in(resultFile)},
	} {
		env = append(env, fmt.Sprintf("OPENCHROME_BENCH_%s=%v", v.name, v.value))
	}
	if p.agent.preset == nil || err != nil {
		return env, err
	}
	p.values = map[string]string{
		"prompt": text, "config": in(configFile), "url": p.endpoint.url(), "token": p.token,
		"home": session.HomeOf(p.dir), "tmp": filepath.Join(p.dir, "t"), "model": p.agent.model,
	}
	for name, value := range p.agent.preset.Env {
		env = append(env, name+"="+fillIn(value, p.values))
	}
	for name, content := range p.agent.preset.Files {
		err = errors.Join(err, regular.WriteFile(p.dir, name, []byte(fillIn(content, p.values))))
	}
	return env, err
}

// maxResult is the largest size of what an agent may say of itself, in bytes.
const maxResult = 1 << 20

// readResult adds what the agent wrote of itself to a. A file that is not as described is none.
func (p *program) readResult(a *adapter.Agent) {
	raw, err := regular.Read(filepath.Join(p.dir, resultFile), maxResult)
	if err != nil {
		return
	}
	var said struct {
		Answer, Error, Model string
		Usage                *adapter.Usage
		CostUSD              *float64 `json:"costUsd"`
	}
	if json.Unmarshal(raw, &said) != nil || !possible(said.Usage) || !possibleCost(said.CostUSD) {
		return
	}
	a.Answer, a.Model, a.Usage, a.CostUSD = said.Answer, said.Model, said.Usage, said.CostUSD
	if said.Error != "" && a.Error == "" && a.Outage == "" {
		a.Answer = said.Error
	}
}

// maxCount is more than any count of tokens, so that sums of counts stay numbers. maxCost is more
// than any episode costs, in US dollars.
const (
	maxCount = 1 << 40
	maxCost  = 1_000_000
)

// possibleCost reports whether an episode can cost that; nil is unknown.
func possibleCost(usd *float64) bool { return usd == nil || *usd >= 0 && *usd <= maxCost }

func possible(u *adapter.Usage) bool {
	if u == nil {
		return true
	}
	for _, n := range []*int{u.Requests, u.InputTokens, u.CachedInput, u.CacheWriteTokens, u.OutputTokens, u.ReasoningTokens} {
		if n != nil && (*n < 0 || *n > maxCount) {
			return false
		}
	}
	return true
}
