package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// compared compares the episodes of the stand-in with mixed ones, of which an answer is
// reworded.
func compared(t *testing.T) *compare.Comparison {
	t.Helper()
	head := mixed(t)
	for _, i := range []int{0, 1} {
		e := head.Episodes.At(i)
		c := &e.Calls[1]
		c.Answer, c.Digest = strings.Replace(c.Answer, "Example Domain", "Beispiel", 1), "000000000001"
		head.Episodes.Set(i, e)
	}
	c, err := compare.Compare(standins(t, 6), head, compare.Options{Base: "main", Head: "branch", Interleaved: true})
	need.OK(t, err)
	return c
}

func writeComparison(t *testing.T, c *compare.Comparison, gate compare.Result) string {
	t.Helper()
	out := t.TempDir()
	name := filepath.Join(out, "reports", "c.html")
	need.OK(t, os.Mkdir(filepath.Dir(name), 0o755))
	need.Write(t, filepath.Join(out, "reports", "mock-standin.html"), "")
	f, err := os.Create(name)
	need.OK(t, err)
	defer f.Close()
	need.OK(t, page.HTML(f, page.Compared(c, gate, out)))
	return name
}

func TestComparison(t *testing.T) {
	b := startBrowser(t)
	c := compared(t)
	gate := compare.Result{Breached: []compare.Breach{{Rule: "regressions==0", Figures: "1 regression"}}}
	b.open(t, writeComparison(t, c, gate), "")
	need.Is(t, "sentence", c.Sentence, b.text(t, `document.querySelector("h1").innerText`))
	b.eval(t, `document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
	text := b.text(t, `document.querySelector("main").innerText`)
	for _, want := range []string{
		"Gate breached: regressions==0: 1 regression", "base\tmain\t", "head\tbranch\t", "1 task without a change",
		"2 pairs with a different outcome", "passed → failed local-form-submit#1 and 1 other repetition", "ended at /contact", "Beispiel",
	} {
		need.Has(t, text, want)
	}
	// The part of the answers that differs is marked.
	const marked = `[...document.querySelectorAll("details mark")].map(m => m.innerText.split(" |")[0]).join("|")`
	if got, want := b.text(t, marked), "Example Domain|Beispiel"; got != want {
		t.Errorf("marked %s, want %s", got, want)
	}
	const links = `[...document.querySelectorAll("td a, details details:nth-of-type(2) a")].map(a => a.getAttribute("href")).join(" ")`
	const page = "mock-standin.html"
	if got, want := b.text(t, links), page+" "+page+" "+page+"#episode=local-form-submit%231 "+page+"#episode=local-form-submit%231"; got != want {
		t.Errorf("links %s\nwant  %s", got, want)
	}
	b.calm(t)
}

func TestComparisonAxe(t *testing.T) {
	source := needAxe(t)
	b := startBrowser(t)
	b.call(t, "Page.setBypassCSP", map[string]any{"enabled": true}, nil) // axe-core parses HTML
	page := writeComparison(t, compared(t), compare.Result{Breached: []compare.Breach{{Rule: "regressions==0", Figures: "1 regression"}}, Kept: []string{"changed-answers==0"}})
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{1280, 390} {
			b.look(t, scheme, width)
			b.open(t, page, "")
			b.eval(t, `document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
			b.axe(t, source, scheme)
		}
	}
}

func TestHostileComparison(t *testing.T) {
	b := startBrowser(t)
	elements := func(text string) string {
		call := &report.Call{Tool: text, Answer: text + "a", Args: text, Digest: "1"}
		other := &report.Call{Tool: text, Answer: text + "b", Args: text, Digest: "2"}
		answer := compare.Answer{Base: call, Head: other}
		r := saying(text)
		passed := saying(text)
		e := passed.Episodes.At(0)
		e.Status = record.Passed
		passed.Episodes.Set(0, e)
		b.open(t, writeComparison(t, &compare.Comparison{
			Base: compare.Side{Name: text, Report: r}, Head: compare.Side{Name: text, Report: passed}, Finding: compare.Worse, Sentence: text,
			Lacks: map[compare.Metric]string{compare.Tokens: text, compare.Duration: text}, Notes: []string{text}, Pairs: 1, Reworded: 1,
			Tasks: []*compare.Task{{ID: text}},
			Tools: []*compare.Tool{{Name: text, Compared: 1, Reworded: 1, Examples: []compare.Rewording{{Answer: answer, Episode: text, Count: 1}}}},
			Episodes: []compare.Pair{{
				Name: text, Base: r.Episodes.At(0), Head: passed.Episodes.At(0), Changes: []compare.Change{{What: text, Base: text, Head: text}}, Answers: []compare.Answer{answer},
			}},
		}, compare.Result{Breached: []compare.Breach{{Rule: text, Figures: text}}, Unknown: []compare.Breach{{Rule: text, Figures: text}}, Kept: []string{text}}), "")
		b.eval(t, `document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
		if bad := unseen.FindString(b.text(t, `document.documentElement.innerText + document.title`)); bad != "" {
			t.Errorf("%q: the page shows the character %+q", text, bad)
		}
		b.calm(t)
		return b.text(t, tags)
	}
	want := elements("harmless")
	for _, text := range hostileHTML {
		need.Equal(t, fmt.Sprintf("%q changed the page", text), want, elements(text))
	}
}
