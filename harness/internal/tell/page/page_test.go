package page_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why/word"
)

const (
	names   = `[...document.querySelectorAll("#rows tbody tr:not([hidden]) a")].map(a => a.textContent)`
	focused = `document.activeElement.textContent`
	heading = `document.querySelector("#episode h1")?.textContent.replace("  ", " ").toLowerCase()`
)

func TestList(t *testing.T) {
	b := startBrowser(t)
	b.open(t, write(t, mixed(t), ""), "")
	all := "local-form-submit#1,local-form-submit#2,local-recovery-stall#1,example-h1#1,example-h1#2,local-recovery-stall#2"
	for _, test := range []struct{ do, want string }{
		{``, all},
		{`q.value = "no such TAB"; q.dispatchEvent(new Event("input"))`, "local-recovery-stall#1"},
		{`document.getElementById("clear").click()`, all},
		{`choose("status", "not-passed")`, "local-form-submit#1,local-form-submit#2,local-recovery-stall#1"},
		{`choose("tag", "forms")`, "local-form-submit#1,local-form-submit#2"},
		{`choose("status", "passed")`, ""},
		{`choose("tag", "")`, "example-h1#1,example-h1#2,local-recovery-stall#2"},
		{`choose("task", "example-h1")`, "example-h1#1,example-h1#2"},
		{`location.hash = ""`, all},
		{`choose("tool", "fill_form")`, "local-form-submit#1,local-form-submit#2,local-recovery-stall#1,local-recovery-stall#2"},
		{`choose("tool", ""); choose("status", "drift")`, "local-recovery-stall#1"},
		{`location.hash = "task=example-h1&q=2"`, "example-h1#2"},
		{`document.querySelector("a[href^='#cause=']").click()`, "local-form-submit#1,local-form-submit#2"},
	} {
		b.eval(t, `{
			const q = document.getElementById("q");
			const choose = (id, value) => { const s = document.getElementById(id); s.value = value; s.dispatchEvent(new Event("change")); };
			`+test.do+`
		}`, nil)
		b.until(t, names+`.join() === `+quote(test.want))
		need.Is(t, fmt.Sprintf("after %s", test.do), test.want, b.text(t, names))
	}
	if got, want := b.text(t, `document.getElementById("found").textContent`), "2 of 6 episodes"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	b.calm(t)
}

func quote(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

// The arguments of a call are shown as they were sent.
func TestArguments(t *testing.T) {
	b := startBrowser(t)
	r := mixed(t)
	e := r.Episodes.At(2)
	args := `{"a":9007199254740993,"a":"<b>","deep":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `,"a":1.0}`
	e.Calls[1].Args = args
	r.Episodes.Set(2, e)
	b.open(t, write(t, r, ""), "#episode="+url.QueryEscape(r.Episodes.At(2).TaskID+"#1"))
	const shown = `[...document.querySelectorAll("#step-1 dt")].find(dt => dt.textContent === "Arguments")?.nextSibling.querySelector("pre").textContent`
	b.until(t, shown)
	if got := b.text(t, shown); got != args {
		t.Errorf("the page shows %d characters: %.200s", len(got), got)
	}
	b.calm(t)
}

func TestKeyboard(t *testing.T) {
	b := startBrowser(t)
	r := mixed(t)
	e := r.Episodes.At(2)
	e.Title = "Judge a letter" // the only text with a j
	r.Episodes.Set(2, e)
	for i := range r.Tasks {
		if r.Tasks[i].ID == e.TaskID {
			r.Tasks[i].Title = e.Title
		}
	}
	b.open(t, write(t, r, ""), "")
	for _, step := range []struct{ key, what, want string }{
		{"j", focused, "local-form-submit#1"},
		{"ArrowDown", focused, "local-form-submit#2"},
		{"j", focused, "local-recovery-stall#1"},
		{"k", focused, "local-form-submit#2"},
		{"ArrowUp", focused, "local-form-submit#1"},
		{"k", focused, "local-form-submit#1"}, // there is none before
		{"Enter", heading, "failed local-form-submit#1"},
		{"j", heading, "failed local-form-submit#2"},
		{"j", heading, "void (adapter error) local-recovery-stall#1"},
		{"k", heading, "failed local-form-submit#2"},
		{"Escape", focused, "local-form-submit#2"},
		{"/", `document.activeElement.id`, "q"},
		{"j", `document.activeElement.value`, "j"},    // a letter like others
		{"ArrowDown", focused, "local-form-submit#1"}, // its title has one
		{"/", `document.activeElement.id`, "q"},
		{"Escape", `document.activeElement.tagName`, "BODY"},
	} {
		b.press(t, step.key)
		b.until(t, "String("+step.what+") === "+quote(step.want))
	}
	b.calm(t)
}

func TestEpisode(t *testing.T) {
	b := startBrowser(t)
	out := t.TempDir()
	r := mixed(t)
	e := r.Episodes.At(2)
	e.Page = "events/r/form-1"
	r.Episodes.Set(2, e)
	folder := filepath.Join(out, filepath.FromSlash(e.Page))
	need.OK(t, os.MkdirAll(folder, 0o755))
	scene := `{"url": "https://stanmere-library.test/contact", "title": "Contact", "text": "Enter your email address",
		"dialogs": [{"kind": "alert", "message": "Sorry"}], "console": ["status of 422"], "requests": ["POST https://stanmere-library.test/contact: status 422"]}`
	for name, content := range map[string]string{"page.json": scene, "page.png": string(png(t, 1))} {
		need.Write(t, filepath.Join(folder, name), content)
	}
	b.open(t, write(t, r, out), "#episode=local-form-submit#1") // as a person would write it
	b.until(t, heading+` === "failed local-form-submit#1"`)
	text := b.text(t, `document.getElementById("episode").innerText`)
	for _, want := range []string{
		"ended at /contact", "https://stanmere-library.test/.end/contact/", "fill_form", "Filled 5 fields, submitted",
		"FAILED 1 expected: ", "not judged", "network $.children.0", "0 of 2 requests",
		"Enter your email address", "alert: Sorry", "status of 422", "POST https://stanmere-library.test/contact: status 422",
		"mage report:show -run=mock-standin '-episode=local-form-submit#1'", "mage bench:mock -task=local-form-submit -server=standin", "mage task:try -task=local-form-submit -server=standin",
	} {
		need.Has(t, text, want)
	}
	b.until(t, `document.querySelector("#episode img")?.naturalWidth > 0`)
	if href := b.text(t, `document.querySelector("#episode a[href$='.png']").getAttribute("href")`); href != "../events/r/form-1/page.png" {
		t.Errorf("screenshot %s", href)
	}
	if links := b.text(t, `[...document.querySelectorAll("#episode a")].map(a => a.getAttribute("href")).join(" ")`); !strings.Contains(links, "../events/mock-standin.jsonl") {
		t.Errorf("no link to the log: %s", links)
	}
	b.open(t, write(t, r, out), "#episode=local-recovery-stall%231")
	b.until(t, heading+` === "void (adapter error) local-recovery-stall#1"`)
	text = b.text(t, `document.getElementById("episode").innerText`)
	for _, want := range []string{`expected text with "shipped", got "sent" (transcript.jsonl:1)`, "changed answer"} {
		need.Has(t, text, want)
	}
	b.eval(t, `location.hash = "episode=none"`, nil)
	b.until(t, `document.getElementById("trouble").innerText === "This run has no episode none."`)
	b.calm(t)
}

// An episode begins with what went wrong. A step shows said beside did; another step can be picked, also by
// its address and by keys.
func TestSteps(t *testing.T) {
	b := startBrowser(t)
	r := mixed(t)
	told(r, 3, "Ada")
	out := t.TempDir()
	e := r.Episodes.At(3)
	e.Page = "events/r/form-2"
	e.Calls[1].Parts = []record.Part{{Asked: "Bea", Word: record.OtherName, Did: "hit Cid"}} // and the answer says so
	r.Episodes.Set(3, e)
	need.OK(t, os.MkdirAll(filepath.Join(out, e.Page), 0o755))
	for name, content := range map[string][]byte{"page.json": []byte("{}"), "step-2.png": png(t, 1)} {
		need.Write(t, filepath.Join(out, e.Page, name), content)
	}
	file := write(t, r, out)
	b.open(t, file, "#episode=local-form-submit%232")
	b.until(t, heading+` === "failed local-form-submit#2"`)
	for _, test := range []struct{ what, want string }{
		{`document.querySelector("#episode dl").innerText.replaceAll("\n", " ").replaceAll(/: "[^"]*" →/g, ":")`, `Step 2 fill_form was asked for "Ada" = "Ada" It said ✓ Filled 5 fields, submitted By phone: ✓ Email: ✓ Message: ✓ Name: ✓ Topic: ✓ Page got other element, Ada So Ada (step 2, fill_form) had Ada="Ada", wanted Ada, no Ada Ada, wanted Ada Wrong side effect Ada`},
		{`[...document.querySelectorAll(".steps > li > details")].map(d => d.open).join()`, "false,false,true"},
		{`document.querySelector("#step-2 .said").innerText`, "said ✓ Filled 5 fields, submitted"},
		{`document.querySelector("#step-2 .did").innerText`, "did other element, Ada"},
		{`document.querySelector("#step-1 .flags").innerText + "; " + document.querySelector("#step-2 .flags").innerText`, "not as asked; false success"},
		{`[...document.querySelectorAll("#step-2 dl > div")].slice(3).map(d => d.innerText.replaceAll("\n", " ")).join("\n")`, `Did FALSE SUCCESS: asked for "Ada" = "Ada": other element, Ada
Did asked for "Ada": as asked
Sent Ada Ada: 303 Ada
Wanted Ada: Ada Ada, got "Ada"
Wanted Ada: Ada Ada Ada, got nothing
Field Ada: before Ada, after Ada
Events Copy click by a script: radio "Ada" in "Ada": Ada not known: Ada
Page
Tokens 70 of arguments, 103 of the answer`},
	} {
		if got := b.text(t, test.what); got != test.want {
			t.Errorf("%s: %s\nwant %s", test.what, got, test.want)
		}
	}
	b.until(t, `document.querySelector("#step-2 img").naturalWidth > 0 && document.querySelectorAll("#episode img").length === 1`)
	b.eval(t, `document.querySelector("#step-1 summary").focus()`, nil)
	for _, step := range []struct{ key, what, want string }{
		{"ArrowUp", `document.activeElement.parentElement.id`, "step-0"},
		{"ArrowUp", `document.activeElement.parentElement.id`, "step-0"},
		{"ArrowDown", `document.activeElement.parentElement.id`, "step-1"},
		{"ArrowDown", `document.activeElement.parentElement.id`, "step-2"},
		{"Enter", `document.querySelector("#step-2").open`, "false"},
		{"j", heading, "void (adapter error) local-recovery-stall#1"},
	} {
		b.press(t, step.key)
		b.until(t, "String("+step.what+") === "+quote(step.want))
	}
	b.open(t, file, "#episode=local-form-submit%232&step=0")
	b.until(t, `document.activeElement.parentElement.id === "step-0" && document.querySelector("#step-0").open`)
	b.press(t, "Escape")
	b.until(t, `location.hash === ""`)
	if got, want := b.text(t, `document.querySelector("#run a[href*='&step=']").getAttribute("href")`), "#episode=local-form-submit%232&step=2"; got != want {
		t.Errorf("the false success leads to %s, want %s", got, want)
	}
	b.calm(t)
}

// hostileHTML texts try to be more than text in HTML, JSON, a script or an address.
var hostileHTML = []string{
	"<script>alert(1)</script>", "</script><script>alert(1)</script>", "</td></tr><img src=x onerror=alert(1)>", "<!--<script>", "]]>", "</style><style>*{display:none}",
	"\" onfocus=alert(1) autofocus x=\"", "' onclick='alert(1)", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "{{.}}", "${alert(1)}", "__proto__", "constructor",
	"\x1b[31mred\x1b[0m\a", "\u202egnp.exe\u2066", "\u2028\u2029", "a\r\nb\x00c", "\xff\xfe", "&lt;b&gt;", "../../../../etc/passwd", "//evil.test/", "#episode=x&q=y",
}

// tags lists the elements with their attributes. A text with lines, or a long one, has a box and can be copied.
const tags = `[...document.querySelectorAll("*:not(.copy)")].map(e => e.matches("pre") ? "CODE" : e.tagName + [...e.attributes].map(a => " " + a.name)).join("\n")`

// Whatever a page, a server or a task says, the page has the same elements, and runs nothing.
func TestHostileTexts(t *testing.T) {
	b := startBrowser(t)
	b.call(t, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": `window.alert = () => console.error("alert was called")`}, nil)
	elements := func(text string) (list, episode string) {
		b.open(t, write(t, saying(text), planted(t, text)), "")
		b.eval(t, `document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
		list = b.text(t, tags)
		shown := b.text(t, `document.documentElement.innerText`)
		b.eval(t, `document.querySelector("#rows a").click()`, nil)
		b.until(t, heading)
		b.eval(t, `document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
		episode = b.text(t, tags)
		shown += b.text(t, `document.documentElement.innerText + document.title`)
		if bad := unseen.FindString(shown); bad != "" {
			t.Errorf("%q: the page shows the character %+q", text, bad)
		}
		b.calm(t)
		return list, episode
	}
	list, episode := elements("harmless")
	for _, text := range hostileHTML {
		l, e := elements(text)
		need.Equal(t, fmt.Sprintf("%q changed the list", text), list, l)
		need.Equal(t, fmt.Sprintf("%q changed the episode", text), episode, e)
	}
}

// unseen finds characters that a reader would not see, or that change the order of text.
var unseen = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{feff}]`)

// saying is a report of one episode that says text wherever it can.
func saying(text string) *report.Report {
	node := judge.Node{Kind: text, Path: text, Verdict: judge.Verdict(text), Would: judge.Verdict(text), Words: text, Expected: text, Observed: text, Note: text}
	tree := node
	tree.Children = []judge.Node{node}
	r := &report.Report{
		RunID: text, Adapter: text, Drift: text, Notes: []string{text}, Web: record.Web{Mode: text}, Host: record.Host{OS: text, Arch: text, Go: text},
		Server:  &record.Server{Name: text, Version: text, Launcher: text, Package: text, Chromium: text, Protocol: text, Isolation: text, Confinement: text, Facts: text},
		Package: &record.Package{Path: text, Commit: text, Dirty: true}, Digest: text,
		Totals: report.Totals{Planned: 1, Finished: 1, Counts: report.Counts{Failed: 1}, Families: []report.FamilyTotals{{Family: text, Counts: report.Counts{Failed: 1}}}},
		Figures: report.Figures{
			Tasks: []report.TaskFigures{{TaskID: text, Counts: report.Counts{Failed: 1}}}, Tools: []report.ToolFigures{{Tool: text, Calls: 1}}, Hints: []report.HintCount{{Rule: text, Count: 1}},
		},
		Tasks: []report.Task{{Task: record.Task{ID: text, Category: text, Goal: text, StartURL: text}}},
		Episodes: report.ListOf(report.Episode{
			Name: text + "#1", TaskID: text, Repetition: 1, Title: text, Category: text, Tags: []string{text}, Status: record.Failed, Reason: text, FinalURL: text,
			Calls:       slices.Repeat([]report.Call{{Step: 1, Tool: text, Args: text, Answer: text, Hint: text, HintText: text, Failure: text, Error: true}}, 2),
			ServerEnded: text, Page: "page", PageMissing: text, NoProgressEpisodes: 1,
			ChangedAnswers: []report.ChangedAnswer{{Tool: text, Drift: adapter.Drift{Expected: text, At: text}, Actual: text}},
			FailedContract: &judge.FailedContract{Kind: text, Path: text, Expected: text, Observed: text, TextPreview: &text},
			Explanation:    &tree,
		}, report.Episode{
			Name: text + "#2", TaskID: text, Repetition: 2, Status: record.Failed, Tree: &tree, Calls: []report.Call{{Tool: text, Trace: &word.Got{Missing: text}}},
		}),
	}
	told(r, 0, text)
	return r
}

// planted returns a folder with the kept page of that episode.
func planted(t *testing.T, text string) string {
	t.Helper()
	out := t.TempDir()
	need.OK(t, os.Mkdir(filepath.Join(out, "page"), 0o755))
	raw, err := json.Marshal(map[string]any{
		"url": text, "title": text, "text": text, "missing": text, "console": []string{text}, "requests": []string{text},
		"dialogs": []record.Dialog{{Kind: text, Message: text}},
	})
	need.OK(t, err)
	need.Write(t, filepath.Join(out, "page", "page.json"), raw)
	return out
}

// The policy stops markup that got into the file by a fault of ours.
func TestPolicy(t *testing.T) {
	b := startBrowser(t)
	name := write(t, mixed(t), "")
	raw := need.Read(t, name)
	for _, evil := range []string{
		`<script>document.title = "evil"</script>`, `<img src="data:," onerror="document.title = 'evil'">`,
		`<script src="data:text/javascript,document.title='evil'"></script>`, `<style>h1 { display: none }</style>`,
		`<iframe srcdoc="<script>parent.document.title='evil'</script>"></iframe>`, `<base href="https://evil.test/"><a id="evil" href="x"></a>`,
	} {
		page := strings.Replace(string(raw), `<main id="run">`, evil+`<main id="run">`, 1)
		need.Write(t, name, page)
		b.open(t, name, "")
		if title := b.text(t, `document.title`); title != "FAILED: Run mock-standin" {
			t.Errorf("%s ran: title %s", evil, title)
		}
		if b.text(t, `getComputedStyle(document.querySelector("h1")).display`) != "block" {
			t.Errorf("%s counts", evil)
		}
		if b.text(t, `document.querySelector("a").href.includes("evil.test")`) != "false" {
			t.Errorf("%s counts", evil)
		}
		if len(b.trouble) == 0 {
			t.Errorf("%s: no violation was reported", evil)
		}
		b.trouble = nil
	}
}

// A click on a header sorts a table, and the list of episodes keeps its filter. A text can be copied.
func TestSort(t *testing.T) {
	b := startBrowser(t)
	b.open(t, write(t, mixed(t), ""), "#status=passed")
	const click = `[...document.querySelectorAll("#rows thead button")].find(e => e.textContent === "Tokens").click();`
	tokens := func(do string) (all []int) {
		b.eval(t, do+`[...document.querySelectorAll("#rows tbody tr:not([hidden])")].map(tr => Number(tr.cells[6].textContent))`, &all)
		return all
	}
	if all := tokens(click); !slices.IsSorted(all) || len(all) != 3 {
		t.Errorf("sorted: %v", all)
	}
	all := tokens(click)
	if slices.Reverse(all); !slices.IsSorted(all) || len(all) != 3 {
		t.Errorf("turned: %v", all)
	}
	b.eval(t, `location.hash = "episode=local-form-submit#1"`, nil)
	b.until(t, `document.querySelector("#episode .copy")`)
	b.eval(t, `Object.defineProperty(navigator, "clipboard", { value: { writeText: async s => { document.title = s; } } })`, nil)
	b.eval(t, `document.querySelector("#episode section:last-of-type .copy").click()`, nil)
	b.until(t, `document.title.startsWith("mage report:show -run=mock-standin ")`)
	b.calm(t)
}
