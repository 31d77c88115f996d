package launch

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

// What is read of a page.
var pageState = evidence.Expression([]string{"body", "h1"}, []string{"*", ":checked"})

// likeness is what a session does on the built-in sites. TAB is the tab.
var likeness = []struct {
	tool string
	args map[string]any
}{
	{"navigate", map[string]any{"url": "https://news.test/archive/2"}},
	{"javascript_tool", map[string]any{"code": pageState}},
	{"find", map[string]any{"query": "older link"}},
	{"find", map[string]any{"query": "the harbour wall"}},
	{"find", map[string]any{"query": "zebra"}},
	{"wait_for", map[string]any{"type": "selector", "value": "h1", "timeout": 200}},
	{"wait_for", map[string]any{"type": "selector", "value": "#nope", "timeout": 200}},
	{"interact", map[string]any{"query": "Older issue"}},
	{"javascript_tool", map[string]any{"code": pageState}},
	{"navigate", map[string]any{"url": "back"}},
	{"navigate", map[string]any{"url": "back"}},
	{"tabs_context", map[string]any{}},
	{"navigate", map[string]any{"url": "https://forms.test/contact"}},
	{"read_page", map[string]any{}},
	{"read_page", map[string]any{"filter": "interactive"}},
	{"fill_form", map[string]any{"fields": map[string]any{"zzz": "x"}}},
	{"fill_form", map[string]any{"fields": map[string]any{"By phone": "true", "Email": "ada@example.com", "Message": "one\ntwo & ü", "Name": "Ada", "Topic": "rooms"}}},
	{"javascript_tool", map[string]any{"code": pageState}},
	{"interact", map[string]any{"query": "Send message"}},
	{"javascript_tool", map[string]any{"code": pageState}},
	{"navigate", map[string]any{"url": "back"}},
	{"javascript_tool", map[string]any{"code": pageState}},
	{"navigate", map[string]any{"url": "https://forms.test/join"}},
	{"fill_form", map[string]any{"fields": map[string]any{"Fiction": "true", "Full name": "Ada"}, "submit": "Join"}},
	{"navigate", map[string]any{"url": "https://forms.test/members"}},
	{"javascript_tool", map[string]any{"code": pageState}},
	{"navigate", map[string]any{"url": "https://shop.test/"}},
	{"find", map[string]any{"query": "teapot"}},
	{"interact", map[string]any{"query": "teapot link"}},
	{"interact", map[string]any{"query": "Add to cart button"}},
	{"javascript_tool", map[string]any{"code": pageState}},
	{"navigate", map[string]any{"url": "https://shop.test/nowhere"}},
	{"javascript_tool", map[string]any{"code": pageState}},
	{"javascript_tool", map[string]any{"code": "document.querySelector('h1[').innerText"}},
	{"interact", map[string]any{"query": "zebra"}},
	{"form_input", map[string]any{"ref": "ref_999", "value": "x"}},
	{"computer", map[string]any{"action": "left_click", "ref": "ref_999"}},
	{"computer", map[string]any{"action": "left_click"}},
	{"navigate", map[string]any{"url": "https://news.test/"}},
	{"read_page", map[string]any{}},
	{"computer", map[string]any{"action": "left_click", "ref": firstRef}},
	{"find", map[string]any{"query": "archive link"}},
	{"computer", map[string]any{"action": "left_click", "ref": firstRef}},
	{"javascript_tool", map[string]any{"code": pageState}},
	{"navigate", map[string]any{"url": "https://forms.test/join"}},
	{"find", map[string]any{"query": "fiction"}},
	{"computer", map[string]any{"action": "left_click", "ref": firstRef}},
	{"javascript_tool", map[string]any{"code": pageState}},
	{"find", map[string]any{"query": "join button"}},
	{"computer", map[string]any{"action": "left_click", "ref": firstRef}},
	{"navigate", map[string]any{"url": "https://nowhere.test/"}},
	{"javascript_tool", map[string]any{"code": "location.href"}},
	{"tabs_context", map[string]any{}},
}

// firstRef stands for the ref or number of the first link, button, box or label in the last
// answer.
const firstRef = "FIRST"

var refs = regexp.MustCompile(`\[(ref_\d+)\] (?:link|button|label|checkbox):|\[(\d+)\]<a `)

// unlike is what the stand-in says it does not tell, and what differs from run
// to run. Summaries stand in a JSON string, or at the end of a text.
var unlike = regexp.MustCompile(`element \d+|at \(-?\d+, -?\d+\)| ?★+|"elapsed":\d+|after \d+ms|scroll: \d+[,/]\d+( \(\d+%\))?|ref_\d+|\[\d+(-\d+)?\]|docSize: \S+|active: .*|\n +at <anonymous>.*|` +
	`\\n\[(Visible|Active|Form)\] ([^\\"]|\\[^n]|\\n[^\[])*|\n\[Visible\](?s:.*)`)

// more are the lines of a page's summary that the stand-in leaves out.
var more = regexp.MustCompile(`(\[Page State\].*)(\n\[(Active|Visible|Selected)\] .*)*(\n\[Headings\] .*)?(\n\[Form\] .*)?`)

// The stand-in answers each call as OpenChrome does.
func TestStandinIsLikeOpenChrome(t *testing.T) {
	launchers := []session.Launcher{newLocal(t), newStandin(t, 0)}
	var tabs []string
	var sessions []session.Session
	for _, l := range launchers {
		s := launch(t, l)
		sessions, tabs = append(sessions, s), append(tabs, open(t, s, "https://example.com/"))
	}
	var last [2]string
	for i, c := range likeness {
		var answers [2]string
		for k, s := range sessions {
			a := map[string]any{"tabId": tabs[k]}
			for key, v := range c.args {
				if a[key] = v; v == firstRef {
					m := refs.FindStringSubmatch(last[k])
					if m == nil {
						t.Fatalf("no ref in %s", last[k])
					}
					a[key] = m[1] + m[2]
				}
			}
			r, err := s.Call(t.Context(), adapter.Call{Tool: c.tool, Args: args(a)})
			need.OK(t, err)
			last[k] = r.Text()
			answers[k] = more.ReplaceAllString(strings.ReplaceAll(last[k], tabs[k], "TAB"), "$1$4")
			answers[k] = strings.TrimSpace(unlike.ReplaceAllString(answers[k], ""))
			if r.IsError() {
				answers[k] = "ERROR " + answers[k]
			}
		}
		if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
			t.Errorf("call %d, %s %v (-OpenChrome +stand-in):\n%s", i, c.tool, c.args, diff)
		}
	}
}
