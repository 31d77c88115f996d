package standin

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/internal/need"
)

// line makes the call of a line: a tool and its arguments.
func (s *session) line(line string) string {
	s.t.Helper()
	tool, raw, _ := strings.Cut(line, " ")
	var a args
	need.OK(s.t, json.Unmarshal([]byte(raw), &a))
	return s.call(tool, a)
}

// Each case is a fresh session. The texts are those of OpenChrome 1.7.15. After the calls come the requests.
func TestTools(t *testing.T) {
	need.Cases(t, "tools", func(t *testing.T, files map[string]string) (got string) {
		s := start(t, Options{})
		for line := range strings.SplitSeq(files["calls"], "\n") {
			got += "> " + line + "\n" + s.line(line) + "\n"
		}
		need.Is(t, "doubt", "", s.doubt())
		return got + strings.Join(s.requests(), "\n")
	})
}

func TestUnknownTool(t *testing.T) {
	s := start(t, Options{})
	_, err := s.raw(t.Context(), "click_element", args{})
	if !errors.Is(err, mcp.ErrInternalError) || !strings.HasSuffix(err.Error(), "Unknown tool: click_element") {
		t.Errorf("CallTool = %v, want internal error (-32603) Unknown tool: click_element", err)
	}
	if doubt := s.doubt(); doubt != "" {
		t.Errorf("doubt after a tool that no OpenChrome has = %q", doubt)
	}
	if got := s.call("page_reload", args{}); got != "ERROR stand-in: the tool page_reload is not supported; use a real browser" {
		t.Errorf("page_reload = %q", got)
	}
	need.Is(t, "doubt", "needs a real browser: the tool page_reload", s.doubt())
}

func TestListTools(t *testing.T) {
	list, err := start(t, Options{}).ListTools(t.Context(), mcp.ListToolsRequest{})
	need.OK(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" || len(tool.InputSchema.Properties) == 0 {
			t.Errorf("%s has no description or no properties", tool.Name)
		}
	}
	want := "computer fill_form find form_input interact javascript_tool navigate read_page tabs_context wait_for"
	need.Is(t, "tools", want, strings.Join(names, " "))
}
