package harness_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
)

// wanted finds in a goal what local-form-submit wants.
var wanted = regexp.MustCompile(`name (.+), email (.+), topic "(.+)", message "(.+)"\. Ask to be answered by (\w+)`)

// makeCalls makes the calls of TEST_CALLS, one a line. In them, $1 to $5 are the parts of the goal, and $TAB is the tab.
func makeCalls() error {
	calls := strings.ReplaceAll(os.Getenv("TEST_CALLS"), "$TAB", os.Getenv("OPENCHROME_BENCH_TAB_ID"))
	for i, part := range wanted.FindStringSubmatch(os.Getenv("OPENCHROME_BENCH_GOAL")) {
		calls = strings.ReplaceAll(calls, fmt.Sprint("$", i), part)
	}
	askMCP("tools/list", struct{}{})
	for line := range strings.Lines(calls) {
		result := askMCP("tools/call", json.RawMessage(line))
		if fmt.Printf("%s%s\n", line, result.Raw); result.IsError() || result.RPCError != nil {
			return fmt.Errorf("%s: %.300s", line, result.Text())
		}
	}
	return nil
}

// An agent that did its task and then closes the tab, or stops the server, has done its task.
func TestAgentsThatTidyUp(t *testing.T) {
	const send = `() => { const f = document.forms[0], e = f.elements; e.name.value = '$1'; e.email.value = '$2'; e.message.value = '$4'; e.reply.value = '$5'.toLowerCase(); ` +
		`e.topic.selectedIndex = [...e.topic.options].findIndex(o => o.text === '$3'); f.requestSubmit(); }`
	const fill = `{"name":"fill_form","arguments":{"tabId":"$TAB","submit":"Send message","fields":{"Name":"$1","Email":"$2","Topic":"$3","Message":"$4","By $5":"true"}}}` + "\n"
	closing := map[string][]string{
		"local": {fill + `{"name":"tabs_close","arguments":{"tabId":"$TAB"}}`, fill + `{"name":"oc_stop","arguments":{}}`},
		"playwright-mcp": {`{"name":"browser_evaluate","arguments":{"function":"` + send + `"}}` + "\n" +
			`{"name":"browser_wait_for","arguments":{"text":"Thank you"}}` + "\n" + `{"name":"browser_close","arguments":{}}`},
		"chrome-devtools-mcp": {`{"name":"evaluate_script","arguments":{"pageId":1,"function":"` + send + `"}}` + "\n" +
			`{"name":"wait_for","arguments":{"pageId":1,"text":["Thank you"]}}` + "\n" +
			`{"name":"new_page","arguments":{"url":"about:blank"}}` + "\n" + `{"name":"close_page","arguments":{"pageId":1}}`},
	}
	for name, lists := range closing {
		for i, calls := range lists {
			t.Run(fmt.Sprint(name, i+1), func(t *testing.T) {
				pkg := os.Getenv("OPENCHROME_DIST")
				switch {
				case name != "local":
					pkg = filepath.Join(need.Peers(t), filepath.FromSlash(server.Named(name).Start.Package))
				case pkg == "":
					t.Skip("OPENCHROME_DIST names no OpenChrome")
				}
				t.Setenv("TEST_CALLS", calls)
				o := onStandin(t.TempDir())
				o.Server, o.Task, o.Adapter, o.AgentEnv = name+":"+pkg, "local-form-submit", agentLine(t, "calls"), "TEST_CALLS"
				err := harness.Run(t.Context(), o)
				r := reportOf(t, o.Out)
				if e := r.Episodes.At(0); err != nil || e.Status != record.Passed {
					t.Errorf("%v: %s, %s", err, e.Status, e.Reason)
				}
			})
		}
	}
}
