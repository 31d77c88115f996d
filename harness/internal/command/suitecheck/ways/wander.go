package ways

import (
	"context"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/suitecheck/args"
	"github.com/openchrome/bench/harness/internal/drive/session"
)

// maxWander is how many links and buttons the wanderer clicks.
const maxWander = 6

// Wanders reads the page and clicks its links and buttons, each on a page that was just
// opened. It knows nothing of the task. The page after the last click is judged.
func Wanders(server session.Server, start string) adapter.Factory {
	r := rovers[server.Name]
	return always(decide(func(_ context.Context, s adapter.State) (adapter.Decision, error) {
		n := len(s.Steps) - 1
		if n%3 == 0 {
			return adapter.Decision{Call: r.look(s.TabID)}, nil
		}
		targets := r.find(server, s.Steps[n-n%3+1].Result.Text())
		targets = targets[:min(maxWander, len(targets))]
		switch clicked := (n + 1) / 3; {
		case n%3 == 1 && clicked < len(targets):
			return adapter.Decision{Call: r.click(s.TabID, targets[clicked])}, nil
		case clicked >= len(targets):
			return adapter.Decision{Done: true}, nil
		}
		return adapter.Decision{Call: Opens(server, start)(s.TabID)}, nil
	}))
}

// A rover is how the wanderer uses a server: look reads the page, find returns the links and
// buttons in the answer, and click clicks one of them.
type rover struct {
	look  func(tab string) adapter.Call
	find  func(session.Server, string) []string
	click func(tab, target string) adapter.Call
}

var rovers = map[string]rover{
	"": {
		look: func(tab string) adapter.Call { return call("read_page", "tabId", tab) },
		find: func(_ session.Server, answer string) (names []string) {
			for _, m := range clickable.FindAllStringSubmatch(answer, -1) {
				names = append(names, strings.TrimSpace(m[1]))
			}
			return names
		},
		click: func(tab, name string) adapter.Call { return call("interact", "tabId", tab, "query", name) },
	},
	"playwright-mcp": {
		look:  func(string) adapter.Call { return call("browser_snapshot") },
		find:  refsOf,
		click: func(_, ref string) adapter.Call { return call("browser_click", "target", ref) },
	},
	"chrome-devtools-mcp": {
		look: func(string) adapter.Call { return adapter.Call{Tool: "take_snapshot", Args: []byte(`{"pageId":1}`)} },
		find: refsOf,
		click: func(_, uid string) adapter.Call {
			return adapter.Call{Tool: "click", Args: args.With([]byte(`{"pageId":1}`), "uid", uid)}
		},
	},
}

// clickable matches links and buttons with a text in OpenChrome's read_page.
var clickable = regexp.MustCompile(`\]<(?:a|button)\b[^\n]*/>([^\n★]+) ★`)

// refsOf returns the refs of links and buttons in an answer.
func refsOf(server session.Server, answer string) (refs []string) {
	role, ref := server.Refs.SubexpIndex("role"), server.Refs.SubexpIndex("ref")
	for _, m := range server.Refs.FindAllStringSubmatch(answer, -1) {
		if m[role] == "link" || m[role] == "button" {
			refs = append(refs, m[ref])
		}
	}
	return refs
}

// call returns the call of a tool with these arguments, each a name and a text.
func call(tool string, given ...string) adapter.Call {
	raw := []byte("{}")
	for i := len(given) - 2; i >= 0; i -= 2 {
		raw = args.With(raw, given[i], given[i+1])
	}
	return adapter.Call{Tool: tool, Args: raw}
}
