//go:build unix

package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// Every preset can be read, knows its program and its key, and names only marks that exist.
func TestPresets(t *testing.T) {
	var names []string
	for _, p := range presets() {
		names = append(names, p.name)
		if p.Program == "" || p.Install == "" || len(p.Keys) == 0 || len(p.ModelArgs) == 0 || len(p.Says) == 0 {
			t.Errorf("%s lacks something: %+v", p.name, p)
		}
		text := strings.Join(slices.Concat(p.Args, p.ModelArgs, p.Last), " ")
		for name, content := range p.Files {
			if !filepath.IsLocal(name) {
				t.Errorf("%s writes %s", p.name, name)
			}
			text += content
		}
		for _, m := range mark.FindAllStringSubmatch(text, -1) {
			if known := []string{"prompt", "config", "url", "token", "home", "tmp", "model"}; !slices.Contains(known, m[1]) && !slices.Contains(p.Passes, m[1]) {
				t.Errorf("%s has the mark %s", p.name, m[0])
			}
		}
		if !strings.Contains(text, "{{prompt}}") {
			t.Errorf("%s gets no prompt", p.name)
		}
	}
	need.Equal(t, "presets", []string{"claude-code", "codex", "gemini-cli", "opencode"}, names)
}

// fakeClaude puts a program claude on the PATH that plays a script, and prints a result.
func fakeClaude(t *testing.T, script string) {
	t.Helper()
	dir := filepath.Dir(scripted(t, script, Options{}).command[0])
	text := `#!/bin/sh
if [ "$1" = --version ]; then echo "9.8.7 (Claude Code)"; exit; fi
"$(dirname "$0")/scripted" agent >&2 || exit
printf '<%s>' "$@" "$ANTHROPIC_API_KEY" "$CLAUDE_CODE_TMPDIR" >&2
printf %s '{"is_error":false,"result":"Done.","total_cost_usd":0.02,"usage":{"input_tokens":3,"output_tokens":6}}'
`
	need.OK(t, os.WriteFile(filepath.Join(dir, "claude"), []byte(text), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("ANTHROPIC_API_KEY", "k3y-of-claude")
}

// A preset starts its program with its arguments, its files and its key, and says what it says.
func TestPreset(t *testing.T) {
	fakeClaude(t, "exits 0")
	a, err := New(t.Context(), Options{Line: "claude-code:some-model", Env: scriptEnv})
	need.OK(t, err)
	plan := a.Plan()
	if a.Name() != "agent:claude-code:some-model" || plan.Name != "claude-code" || !plan.Preset || plan.Version != "9.8.7" || plan.Model != "some-model" || !strings.Contains(plan.Confinement, "443") && plan.Confinement != "none" {
		t.Errorf("%s, %+v", a.Name(), plan)
	}
	p := episode(t.Context(), t, a, 5)
	if p.said.Error != "" || p.said.Answer != "Done." || p.said.CostUSD == nil || *p.said.CostUSD != 0.02 || p.said.Usage == nil || *p.said.Usage.OutputTokens != 6 {
		t.Errorf("%+v\n%s", p.said, p.said.Output)
	}
	for _, want := range []string{"<-p><Do the task below", "<--mcp-config><" + p.folder + "/mcp.json>", "<--tools><><--allowedTools>", "<--model><some-model><k3y-of-claude><" + p.folder + "/t>"} {
		need.Has(t, string(p.said.Output), want)
	}
	if !slices.Contains(newProgram(a).Secrets(), "k3y-of-claude") {
		t.Error("its key is no secret")
	}
}

// Why a preset failed is said in the words of its answer, not by the JSON around them.
func TestPresetThatFails(t *testing.T) {
	fakeClaude(t, "lists")
	a, err := New(t.Context(), Options{Line: "claude-code", Env: scriptEnv})
	need.OK(t, err)
	if p := episode(t.Context(), t, a, 5); p.said.Error != "the agent ended without a call; it says: Done." {
		t.Errorf("got %q", p.said.Error)
	}
}

// What a preset lacks stops the run before anything starts.
func TestPresetLacks(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"} {
		t.Setenv(name, "")
	}
	t.Setenv("PATH", t.TempDir())
	for line, want := range map[string]string{
		"claude-code": "-adapter: agent:claude-code: there is no program claude on the PATH; write npm install -g @anthropic-ai/claude-code; it has no key; set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN",
		"codex:m":     "-adapter: agent:codex: there is no program codex on the PATH; write npm install -g @openai/codex; it has no key; set OPENAI_API_KEY",
		"opencode":    "-adapter: agent:opencode: needs a model; write agent:opencode:MODEL",
		"codex:-m x":  `-adapter: agent:codex: "-m x" is no name of a model`,
	} {
		if _, err := New(t.Context(), Options{Line: line}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", line, err, want)
		}
	}
	if all := Presets(); len(all) != 4 || all[0].Preset != "claude-code" || all[0].Err == nil {
		t.Errorf("presets: %+v", all)
	}
}
