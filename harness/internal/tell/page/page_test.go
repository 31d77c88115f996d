package page_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
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
		{`choose("tool", ""); choose("status", "changed-answers")`, "local-recovery-stall#1"},
		{`document.querySelector("a[href='#tag=forms']").click()`, "local-form-submit#1,local-form-submit#2"},
		{`location.hash = "task=example-h1&q=2"`, "example-h1#2"},
		{`document.querySelector("a[href^='#cause=']").click()`, "local-form-submit#1,local-form-submit#2"},
	} {
		b.eval(t, `{
			const q = document.getElementById("q");
			const choose = (id, value) => { const s = document.getElementById(id); s.value = value; s.dispatchEvent(new Event("change")); };
			`+test.do+`
		}`, nil)
		b.untilIs(t, names, test.want)
	}
	need.Is(t, "found", "2 of 6 episodes", b.text(t, `document.getElementById("found").textContent`))
	// A click on a header sorts a table, and the list keeps its filter.
	b.eval(t, `location.hash = "status=passed"`, nil)
	for _, want := range []string{"example-h1#1,example-h1#2,local-recovery-stall#2", "local-recovery-stall#2,example-h1#1,example-h1#2"} {
		b.eval(t, `[...document.querySelectorAll("#rows thead button")].find(e => e.textContent === "Tokens").click()`, nil)
		b.untilIs(t, names, want)
	}
	b.calm(t)
}

func TestKeyboard(t *testing.T) {
	b := startBrowser(t)
	r := mixed(t)
	e := r.Episodes.At(2)
	e.Title = "Judge a letter" // the only text with a j
	r.Episodes.Set(2, e)
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
		b.untilIs(t, step.what, step.want)
	}
	b.calm(t)
}

func TestEpisode(t *testing.T) {
	b := startBrowser(t)
	out := t.TempDir()
	r := mixed(t)
	e := r.Episodes.At(2)
	e.Page = "events/r/form-1"
	args := `{"a":9007199254740993,"a":"<b>","deep":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `,"a":1.0}`
	e.Calls[1].Args = args
	r.Episodes.Set(2, e)
	folder := filepath.Join(out, filepath.FromSlash(e.Page))
	scene := `{"url": "https://stanmere-library.test/contact", "title": "Contact", "text": "Enter your email address",
		"dialogs": [{"kind": "alert", "message": "Sorry"}], "console": ["status of 422"], "requests": ["POST https://stanmere-library.test/contact: status 422"]}`
	need.Write(t, filepath.Join(folder, "page.json"), scene)
	need.Write(t, filepath.Join(folder, "page.png"), png(t, 1))
	file := write(t, r, out)
	b.open(t, file, "#episode=local-form-submit#1") // as a person would write it
	b.untilIs(t, heading, "failed local-form-submit#1")
	need.Has(t, b.text(t, `document.getElementById("episode").innerText`),
		"ended at /contact", "https://stanmere-library.test/.end/contact/", "fill_form", "Filled 5 fields, submitted",
		"FAILED 1 expected: ", "not judged", "network $.children.0", "0 of 2 requests",
		"Enter your email address", "alert: Sorry", "status of 422", "POST https://stanmere-library.test/contact: status 422",
		"mage report:show -run=mock-standin '-episode=local-form-submit#1'", "mage bench:mock -task=local-form-submit -server=standin", "mage task:try -task=local-form-submit -server=standin")
	b.until(t, `[...document.querySelectorAll("#episode img")].some(i => i.naturalWidth > 0) && document.querySelector("#step-2 .shot img")`)
	need.Is(t, "links", "../events/mock-standin.jsonl ../events/r/form-1/page.png ../events/r/form-1/", b.text(t, `[...document.querySelectorAll("#episode main a, #episode section a, #episode dd a")].map(a => a.getAttribute("href")).filter((a, i, all) => all.indexOf(a) === i).join(" ")`))
	// The arguments of a call are shown as they were sent.
	const shown = `[...document.querySelectorAll("#step-1 dt")].find(dt => dt.textContent === "Arguments")?.nextSibling.querySelector("pre").textContent`
	need.Is(t, "arguments", args, b.text(t, shown))
	b.eval(t, `Object.defineProperty(navigator, "clipboard", { value: { writeText: async s => { document.title = s; } } })`, nil)
	b.eval(t, `document.querySelector("#episode section:last-of-type .copy").click()`, nil)
	b.until(t, `document.title.startsWith("mage report:show -run=mock-standin ")`)
	b.open(t, file, "#episode=local-recovery-stall%231")
	b.untilIs(t, heading, "void (adapter error) local-recovery-stall#1")
	need.Has(t, b.text(t, `document.getElementById("episode").innerText`), `expected text with "shipped", got "sent" (transcript.jsonl:1)`, "changed answer")
	b.eval(t, `location.hash = "episode=none"`, nil)
	b.untilIs(t, `document.getElementById("trouble").innerText`, "This run has no episode none.")
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
	need.Write(t, filepath.Join(out, e.Page, "page.json"), "{}")
	need.Write(t, filepath.Join(out, e.Page, "step-2.png"), png(t, 1))
	file := write(t, r, out)
	b.open(t, file, "#episode=local-form-submit%232")
	b.untilIs(t, heading, "failed local-form-submit#2")
	for _, test := range []struct{ what, want string }{
		{`document.querySelector("#episode dl").innerText.replaceAll("\n", " ").replaceAll(/: "[^"]*" →/g, ":")`, `Whose server: its answer is a false success Asked step 2, fill_form: "Ada" = "Ada" Said ✓ Filled 5 fields, submitted By phone: ✓ Email: ✓ Message: ✓ Name: ✓ Topic: ✓ Got other element, Ada`},
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
Tokens 70 of arguments, 103 of the answer`},
	} {
		need.Is(t, test.what, test.want, b.text(t, test.what))
	}
	b.until(t, `document.querySelector("#step-2 .shot img").naturalWidth > 0 && document.querySelectorAll("#episode img").length === 1`)
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
		b.untilIs(t, step.what, step.want)
	}
	b.open(t, file, "#episode=local-form-submit%232&step=0")
	b.until(t, `document.activeElement.parentElement.id === "step-0" && document.querySelector("#step-0").open`)
	b.press(t, "Escape")
	b.until(t, `location.hash === ""`)
	link := b.text(t, `document.querySelector("#run a[href*='&step=']").getAttribute("href")`)
	need.Is(t, "the false success leads to", "#episode=local-form-submit%232&step=2", link)
	b.calm(t)
	t.Run("axe", func(t *testing.T) {
		b.axe(t, file, "", "#episode=local-form-submit%231", "#episode=local-form-submit%232", "#episode=local-recovery-stall%231")
	})
}

func TestComparison(t *testing.T) {
	b := startBrowser(t)
	c := compared(t)
	out := t.TempDir()
	need.Write(t, filepath.Join(out, "reports", "mock-standin.html"), "")
	gate := compare.Result{Breached: []compare.Breach{{Rule: "regressions==0", Figures: "1 regression"}}, Kept: []string{"changed-answers==0"}}
	file := document(t, page.Compared(c, gate, out))
	b.open(t, file, "")
	need.Is(t, "sentence", c.Sentence, b.text(t, `document.querySelector("h1").innerText`))
	b.unfold(t)
	need.Has(t, b.text(t, `document.querySelector("main").innerText`),
		"Gate breached: regressions==0: 1 regression", "base\tmain\t", "head\tbranch\t", "1 task without a change",
		"Tasks that did not end alike", "local-form-submit\t2 of 2 passed\t0 of 2 passed: whose is not known: ended at /contact",
		"hint login\t0 of 2\t2 of 2\t", "\tnew")
	const run = "mock-standin.html"
	need.Is(t, "links", run+" "+run+" "+run+"#episode=local-form-submit%231", b.text(t, `[...document.querySelectorAll("td a")].slice(0, 3).map(a => a.getAttribute("href")).join(" ")`))
	b.calm(t)
	t.Run("axe", func(t *testing.T) { b.axe(t, file, "") })
}

// tags lists the elements with their attributes. A text with lines, or a long one, has a box and can be copied.
const tags = `[...document.querySelectorAll("*:not(.copy)")].map(e => e.matches("pre") ? "CODE" : e.tagName + [...e.attributes].map(a => " " + a.name)).join("\n")`

// Whatever a page, a server or a task says, the page has the same elements, and runs nothing.
func TestHostileTexts(t *testing.T) {
	b := startBrowser(t)
	elements := func(text string) (all string) {
		look := func() {
			b.unfold(t)
			all += b.text(t, tags)
			if bad := unseen.FindString(b.text(t, `document.documentElement.innerText + document.title`)); bad != "" {
				t.Errorf("%q: the page shows the character %+q", text, bad)
			}
			b.calm(t)
		}
		b.open(t, write(t, saying(text), planted(t, text)), "")
		look()
		for i := range 2 {
			b.eval(t, fmt.Sprintf(`document.getElementById("episode").replaceChildren(); location.hash = document.querySelectorAll("#rows a")[%d].hash`, i), nil)
			b.until(t, heading)
			look()
		}
		b.open(t, document(t, disputed(text)), "")
		look()
		return all
	}
	want := elements("harmless")
	for _, text := range hostile {
		need.Equal(t, fmt.Sprintf("%q changed the page", text), want, elements(text))
	}
}

// unseen finds characters that a reader would not see, or that change the order of text.
var unseen = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{feff}]`)

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
		need.Write(t, name, strings.Replace(string(raw), `<main id="run">`, evil+`<main id="run">`, 1))
		b.open(t, name, "")
		const seen = `[document.title, getComputedStyle(document.querySelector("h1")).display, document.querySelector("a").href.includes("evil.test")]`
		need.Is(t, evil, "FAILED: Run mock-standin,block,false", b.text(t, seen))
		if len(b.troubles()) == 0 {
			t.Errorf("%s: no violation was reported", evil)
		}
	}
}

// A run that did not finish has neither a rate nor an interval.
func TestUnfinished(t *testing.T) {
	r := mixed(t)
	r.Figures.Tasks[1].Interval = &stats.Interval{Low: 0.1, High: 0.9}
	need.Is(t, "finished", 2, strings.Count(markdown(t, page.Run(r)), "50.0%")+strings.Count(markdown(t, page.Run(r)), "10% to 90%"))
	r.Totals.Planned = 9
	need.Is(t, "unfinished", 0, strings.Count(markdown(t, page.Run(r)), "50.0%")+strings.Count(markdown(t, page.Run(r)), "10% to 90%"))
}

// The command at the end of a run shows an episode of the most frequent cause, and not one that was interrupted.
func TestSummary(t *testing.T) {
	one := func(name, reason string, status record.Status) report.Episode {
		return report.Episode{Name: name, TaskID: name[:1], Status: status, Reason: reason}
	}
	r := &report.Report{RunID: "r", Out: "o", Launcher: "local", Missing: []string{"d#1"}, Episodes: report.ListOf(
		one("a#1", "the run was stopped", record.Interrupted), one("b#1", "rare", record.Failed),
		one("c#1", "frequent", record.Failed), one("d#1", "frequent", record.Failed),
	)}
	for _, want := range []string{"why      mage report:show -run=r '-episode=c#1' -out=o", "resume   go on"} {
		need.Has(t, page.Terminal(nil, page.Summary(r, "go on")...), want)
	}
	r.Missing = nil
	r.Episodes = report.ListOf(*r.Episodes.At(0))
	for _, not := range []string{"resume", "why  "} {
		need.Is(t, not, false, strings.Contains(page.Terminal(nil, page.Summary(r, "go on")...), not))
	}
}

// A title can begin with any letter.
func TestTitleOnATerminal(t *testing.T) {
	got := page.Terminal(nil, page.Section{Title: page.Say("Éclairs"), Blocks: []page.Block{page.Say("two")}})
	need.Is(t, "", "\néclairs\n  two", got)
}
