package lint

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

const read = `{"tool":"read_page","args":{"tabId":"{{tabId}}"}}`

func lint(t *testing.T, files map[string]string) (faults, warnings string) {
	t.Helper()
	fsys := make(fstest.MapFS)
	for name, data := range files {
		fsys["a/"+name] = &fstest.MapFile{Data: []byte(data)}
	}
	spec, found := task.Source{Name: "tasks", FS: fsys}.Folder("a").Read(task.Options{})
	if found != nil {
		t.Fatal(found)
	}
	f, w := Task(spec)
	text := func(list jsonfile.Faults) string {
		if len(list) == 0 {
			return ""
		}
		return list.Error()
	}
	return text(f), text(w)
}

func TestTask(t *testing.T) {
	with := func(goal, success string) string {
		return `{"id":"a","title":"T","startUrl":"https://a.test/","tags":["scripts"],
"goal":"` + goal + `",
"success":` + success + `}`
	}
	const fine = `{"kind":"url","pattern":"^https://a\\.test/{{param.word}}$"}`
	for _, row := range []struct{ name, goal, success, faults, warnings string }{
		{"fine", "Do {{param.word}} with {{upload.x.txt}}.", fine, "", ""},
		{"a selector", "G", `{"kind":"and","children":[` + fine + `,{"kind":"not","child":{"kind":"dom_text","selector":"h1[","contains":"x"}}]}`,
			`tasks/a/task.json:3:150: /success/children/1/child/selector: is "h1[", which is not a CSS selector`, ""},
		{"modern selectors", "G", `{"kind":"and","children":[` + fine + `,{"kind":"dom_text","selector":"main:has(> p) :is(a, b)::before","contains":"x"}]}`, "", ""},
		{"a drawn file that does not exist", "Send {{upload.{{param.word}}.txt}}.", fine,
			`tasks/a/task.json:2:8: /goal: has "{{upload.june.txt}}"; only {{param.NAME}} and, in the goal, {{upload.NAME}} of a file in upload/ are filled in here`, ""},
		{"placeholders", "Do {{saved.x}} in {{ upload.x.txt}}.", `{"kind":"dom_text","selector":"p","contains":"{{tabId}}"}`,
			`tasks/a/task.json:2:8: /goal: has "{{saved.x}}"; only {{param.NAME}} and, in the goal, {{upload.NAME}} of a file in upload/ are filled in here
tasks/a/task.json:2:8: /goal: has "{{ upload.x.txt}}"; only {{param.NAME}} and, in the goal, {{upload.NAME}} of a file in upload/ are filled in here
tasks/a/task.json:3:56: /success/contains: has "{{tabId}}"; only {{param.NAME}} and, in the goal, {{upload.NAME}} of a file in upload/ are filled in here`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			faults, warnings := lint(t, map[string]string{
				"task.json": with(row.goal, row.success), "transcript.jsonl": read, "upload/x.txt": "",
				"params.json": `{"values":{"word":{"oneOf":["may","june"]}}}`,
			})
			need.Equal(t, "faults", row.faults, faults)
			need.Equal(t, "warnings", row.warnings, warnings)
		})
	}
}

func TestTranscripts(t *testing.T) {
	for _, row := range []struct{ name, file, lines, faults, warnings string }{
		{"fine", "transcript.jsonl", read + "\n" + `{"tool":"computer","args":{"tabId":"{{tabId}}","action":"left_click","ref":"{{saved.r}}"},"expect":{"contains":["Clicked"]}}`, "", ""},
		{"what no verb can do", "intents.jsonl", `{"press":"a"}` + "\n" + `{"unsupported":"select a word"}`, "", "2:16: /unsupported: no verb can do this: every policy ends here, with no tool for a step"},
		{"no path", "transcript.jsonl", `{"unsupported":"no way"}`, "", ""},
		{"a tool that does not exist", "transcript.jsonl", `{"tool":"interacts","args":{}}`, "", `1:9: /tool: OpenChrome 1.7.15 has no tool "interacts"; did you mean "interact"?`},
		{"arguments", "forbidden.pay.jsonl", read + "\n" + `{"tool":"find","args":{"tabID":"x","query":"y"}}`, "",
			`2:32: /args/tabID: find of OpenChrome 1.7.15 has no argument "tabID"; it has tabId, query, waitForMs, pollInterval; did you mean "tabId"?
2:23: /args: find needs the argument "tabId"`},
		{"optional calls that read", "transcript.jsonl", `{"tool":"find","args":{"tabId":"t","query":"y"},"optional":true}` + "\n" + `{"tool":"computer","args":{"tabId":"t","action":"wait"},"optional":true}`, "", ""},
		{"optional calls that act", "transcript.jsonl", `{"tool":"interact","args":{"tabId":"t","query":"y"},"optional":true}` + "\n" + `{"tool":"computer","args":{"tabId":"t","action":"key"},"optional":true}`, "",
			`1:64: /optional: optional is only for calls that read or wait; leave it out
2:67: /optional: optional is only for calls that read or wait; leave it out`},
		{"a wanted error", "transcript.jsonl", `{"tool":"find","args":{"query":"y"},"expect":{"isError":true}}`, "", ""},
		{"another server's tools", "transcript.playwright-mcp.jsonl", `{"tool":"browser_snapshot","args":{}}`, "", ""},
		{"placeholders that stay", "transcript.playwright-mcp.jsonl", `{"tool":"a","args":{},"expect":{"contains":["{{saved.x}}"]},"save":{"y":"{{tabId}}"}}`,
			`1:45: /expect/contains/0: has "{{saved.x}}"; only {{param.NAME}} is filled in here
1:73: /save/y: has "{{tabId}}"; only {{param.NAME}} is filled in here`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			faults, warnings := lint(t, map[string]string{
				"task.json": `{"id":"a","title":"T","startUrl":"https://a.test/","goal":"G","success":{"kind":"no_dialog"}}`, row.file: row.lines,
			})
			place := "tasks/a/" + row.file + ":"
			need.Equal(t, "faults", row.faults, strings.ReplaceAll(faults, place, ""))
			need.Equal(t, "warnings", row.warnings, strings.ReplaceAll(warnings, place, ""))
		})
	}
}
