package format

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// JUnit writes the report as JUnit XML, by the schema of Jenkins' xUnit plugin: a
// testsuite for each task, a testcase for each repetition. A void episode is an error,
// not a failure. A known defect is skipped, because it alone does not fail a run. A run that
// did not finish has one more testsuite with an error, because JUnit XML has no place for
// tests that were not run.
func JUnit(w io.Writer, r *report.Report) error {
	properties := el("properties")
	for _, f := range page.Header(r) { // the facts of the report's header
		if !f.Whole {
			properties.add(el("property", "name", f.Name, "value", f.Text))
		}
	}
	var tasks []string
	of := map[string][]*report.Episode{}
	for _, e := range r.Episodes.All() {
		if of[e.TaskID] == nil {
			tasks = append(tasks, e.TaskID)
		}
		of[e.TaskID] = append(of[e.TaskID], e)
	}
	t := r.Totals
	cut := 0
	if !t.Complete() {
		cut = 1
	}
	all := el("testsuites", "name", "openchrome-bench "+r.RunID, "tests", r.Episodes.Len()+cut,
		"failures", t.Unexpected(), "errors", t.Void+cut, "time", seconds(t.DurationMs))
	for _, task := range tasks {
		all.add(suite(r, task, properties, of[task]))
	}
	if cut > 0 {
		problem := el("error", "message", t.Verdict(), "type", "not_finished")
		planned := el("testcase", "name", "all planned episodes ended", "classname", "run", "time", seconds(0))
		last := el("testsuite", "name", "run", "tests", 1, "failures", 0, "errors", 1, "time", seconds(0))
		all.add(last.add(properties, planned.add(problem)))
	}
	io.WriteString(w, xml.Header) // Encode reports the error
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func suite(r *report.Report, task string, properties *element, all []*report.Episode) *element {
	counts, ms := map[string]int{}, 0.0
	var cases []*element
	for _, e := range all {
		c := el("testcase", "name", e.Name, "classname", task, "time", seconds(e.DurationMs))
		if e.Status.Class() != record.Pass {
			kind, problem := "skipped", el("skipped", "message", why.Line(e))
			if !e.KnownDefect {
				kind = map[record.Class]string{record.Fail: "failure", record.Void: "error"}[e.Status.Class()]
				problem = el(kind, "message", why.Line(e), "type", e.Status)
				problem.Text = "\n" + page.Terminal(nil, page.Episode(r, e, page.View{Out: r.Out}).Blocks...) + "\n"
			}
			counts[kind]++
			c.add(problem)
		}
		ms += e.DurationMs
		cases = append(cases, c)
	}
	attributes := []any{"name", task, "tests", len(all), "failures", counts["failure"], "errors", counts["error"],
		"skipped", counts["skipped"], "time", seconds(ms)}
	if file := fileOf(r, task); file != "" {
		attributes = append(attributes, "file", file)
	}
	return el("testsuite", attributes...).add(properties).add(cases...)
}

// element is an element of XML.
type element struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Inside  []*element
}

// el makes an element. Attributes are pairs of a name and a value, which becomes safe text.
func el(name string, pairs ...any) *element {
	e := &element{XMLName: xml.Name{Local: name}}
	for i := 0; i < len(pairs); i += 2 {
		key := xml.Name{Local: pairs[i].(string)}
		e.Attrs = append(e.Attrs, xml.Attr{Name: key, Value: display.Visible(fmt.Sprint(pairs[i+1]))})
	}
	return e
}

func (e *element) add(inside ...*element) *element {
	e.Inside = append(e.Inside, inside...)
	return e
}

// seconds writes milliseconds as JUnit has them.
func seconds(ms float64) string { return fmt.Sprintf("%.3f", ms/1000) }
