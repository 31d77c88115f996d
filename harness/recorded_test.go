package harness_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// A modelled is a task as a model does it that looks at the page and acts by ref. Each line is an act:
// "dom", "ax" and "find QUERY" look; "press LINE" and "set LINE = VALUE" act on the ref of the first
// part of the last answer that LINE matches. In LINE, # stands for the ref; $1 and so on, everywhere,
// stand for the parts of the goal.
type modelled struct{ task, goal, acts string }

var modelledTasks = map[string]modelled{
	"snapshot": {"local-form-submit", `name (.+), email (.+), topic "(.+)", message "(.+)"\. Ask to be answered by (\w+)`, `dom
set #<input type="text" id="name" = $1
set #<input type="email" = $2
set #<select = $3
set #<textarea = $4
press #<input type="radio" id="reply-$5"
dom
press #<button type="submit"/>Send message`},
	"tree": {"auth-login", `member (\w+) with the password (\w+)\. .* language of letters to (\w+)`, `ax
press # link: "Sign in"
ax
set # textbox: "Member number" = $1
set # textbox: "Password" = $2
press # button: "Sign in"
ax
press # link: "Change the settings"
ax
set # combobox: "Language of letters" = $3
press # button: "Save settings"
ax
press # button: "Sign out"`},
	"search": {"join-library", `as (.+) with a (\w+) card.* read (\w+) and (\w+),`, `dom
set #<input type="text" = $1
set #<select = $2
find $3
press # label: "$3"
find $4
press # label: "$4"
find Join button
press # button: "Join"`},
	"wanders": {"local-form-submit", "", strings.Repeat("dom\n", 10) + "dom"},
	"row":     {"tab-row-plain", `device "(.+)" in (.+), and`, "dom\npress <td/>$1\\n(?:.*\\n){4}.*#<button type=\"submit\"/>Revoke"},
	"names": {"cal-either", `hall on (.+) or on`, `find Look at $1
press # \w+: "Look at $1"
dom
press #<button type="submit"/>Book this day`},
}

// perform does a task as its acts say.
func (m modelled) perform() error {
	parts := regexp.MustCompile(m.goal).FindStringSubmatch(os.Getenv("OPENCHROME_BENCH_GOAL"))
	if parts == nil {
		return fmt.Errorf("the goal is not %s", m.goal)
	}
	fill := func(text string, quote func(string) string) string {
		for i, part := range parts {
			text = strings.ReplaceAll(text, fmt.Sprint("$", i), quote(part))
		}
		return text
	}
	same := func(s string) string { return s }
	askMCP("tools/list", struct{}{})
	answer := ""
	for act := range strings.SplitSeq(m.acts, "\n") {
		verb, rest, _ := strings.Cut(act, " ")
		tool, args := "read_page", map[string]any{"tabId": os.Getenv("OPENCHROME_BENCH_TAB_ID")}
		switch verb {
		case "ax":
			args["mode"] = "ax"
		case "find":
			tool, args["query"] = "find", fill(rest, same)
		case "press", "set":
			line, value, _ := strings.Cut(rest, " = ")
			line = strings.Replace(fill(line, regexp.QuoteMeta), "#", `\[((?:ref_)?\d+)\]`, 1)
			found := regexp.MustCompile(line).FindStringSubmatch(answer)
			if found == nil {
				return fmt.Errorf("%s: nothing matches in %s", line, answer)
			}
			if args["ref"] = found[1]; verb == "press" {
				tool, args["action"] = "computer", "left_click"
			} else {
				tool, args["value"] = "form_input", fill(value, same)
			}
		}
		result := askMCP("tools/call", map[string]any{"name": tool, "arguments": args})
		if result.IsError() || result.RPCError != nil {
			return fmt.Errorf("%s: %s", act, result.Text())
		}
		if tool == "read_page" || tool == "find" {
			answer = result.Text()
		}
	}
	return nil
}

// What an agent did by refs, as a recorded transcript, does the task again, ten times, and on two other seeds.
func TestRecordedAgents(t *testing.T) {
	servers := map[string]string{"standin": ""}
	if dist := os.Getenv("OPENCHROME_DIST"); dist != "" {
		servers["local"] = filepath.Dir(filepath.Dir(dist))
	}
	for server, pkg := range servers {
		for name, m := range modelledTasks {
			if name == "wanders" {
				continue
			}
			t.Run(server+"/"+name, func(t *testing.T) {
				o := onStandin(t.TempDir())
				o.Server, o.Package, o.Task, o.Seed = server, pkg, m.task, 4
				o.Adapter = agentLine(t, "models "+name)
				if err := harness.Run(t.Context(), o); err != nil {
					logs, _ := filepath.Glob(filepath.Join(o.Out, "events", "r", "*", "agent.log"))
					for _, log := range logs {
						text, _ := os.ReadFile(log)
						t.Logf("%.3000s", text)
					}
					t.Fatal(err)
				}
				tasks := t.TempDir()
				need.OK(t, os.CopyFS(filepath.Join(tasks, m.task), os.DirFS(filepath.Join(root(), "fixtures", m.task))))
				var printed bytes.Buffer
				into := o
				into.Task, into.Adapter, into.Seed = "", "", 0
				into.Episode, into.Tasks, into.Stdout = m.task+"#1", tasks, &printed
				if err := harness.Call(t.Context(), "task:record", into); err != nil || strings.Count(printed.String(), "passed 3 of 3 on seed") != 3 {
					t.Fatalf("%v\n%s", err, printed.String())
				}
				again := onStandin(o.Out)
				again.Server, again.Package, again.Tasks, again.Seed = server, pkg, tasks, o.Seed
				again.RunID, again.Repetitions = "again", 10
				err := harness.Run(t.Context(), again)
				r, err2 := report.FromFile(t.Context(), filepath.Join(o.Out, "events", "again.jsonl"))
				if err2 != nil {
					t.Fatal(err, err2)
				}
				if err != nil || r.Totals.Passed != 10 || r.Totals.ChangedAnswers > 0 {
					t.Errorf("%v: %+v", err, r.Totals)
				}
			})
		}
	}
}
