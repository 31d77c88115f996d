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
	t := r.Totals
	all := junitSuites{
		Name: "openchrome-bench " + display.Visible(r.RunID), Tests: r.Episodes.Len(), Failures: t.Unexpected(), Errors: t.Void, Time: seconds(t.DurationMs),
	}
	files := map[string]string{}
	for _, task := range r.Tasks {
		files[task.ID] = task.File
	}
	properties := junitProperties(r)
	task := ""
	for i, e := range r.Episodes.All() {
		if i == 0 || e.TaskID != task {
			task = e.TaskID
			all.Suites = append(all.Suites, junitSuite{Name: display.Visible(e.TaskID), File: display.Visible(inRepository(files[e.TaskID])), Properties: properties})
		}
		all.Suites[len(all.Suites)-1].add(r, e)
	}
	for i := range all.Suites {
		all.Suites[i].Time = seconds(all.Suites[i].ms)
	}
	if !t.Complete() {
		all.Tests++
		all.Errors++
		all.Suites = append(all.Suites, junitSuite{
			Name: "run", Tests: 1, Errors: 1, Time: seconds(0), Properties: properties,
			Cases: []junitCase{{Name: "all planned episodes ended", Class: "run", Time: seconds(0), Error: &junitProblem{Message: t.Verdict(), Type: "not_finished"}}},
		})
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

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr,omitempty"`
	Time       string          `xml:"time,attr"`
	File       string          `xml:"file,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
	ms         float64
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
	Skipped *junitSkipped `xml:"skipped"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Details string `xml:",chardata"`
}

// junitProperties are the facts of the report's header.
func junitProperties(r *report.Report) (all []junitProperty) {
	for _, f := range page.Header(r) {
		if !f.Whole {
			all = append(all, junitProperty{f.Name, display.Visible(f.Text.String())})
		}
	}
	for _, tool := range r.NoTools {
		all = append(all, junitProperty{"missing tool", display.Visible(tool)})
	}
	return all
}

func (s *junitSuite) add(r *report.Report, e *report.Episode) {
	c := junitCase{Name: display.Visible(e.Name), Class: s.Name, Time: seconds(e.DurationMs)}
	problem := &junitProblem{Message: display.Visible(why.Line(e)), Type: display.Visible(string(e.Status))}
	if e.Status.Class() != record.Pass {
		problem.Details = "\n" + page.Terminal(nil, page.Episode(r, e, page.View{}).Blocks...) + "\n"
	}
	switch class := e.Status.Class(); {
	case e.KnownDefect:
		c.Skipped = &junitSkipped{problem.Message}
		s.Skipped++
	case class == record.Fail:
		c.Failure = problem
		s.Failures++
	case class == record.Void:
		c.Error = problem
		s.Errors++
	}
	s.Tests++
	s.ms += e.DurationMs
	s.Cases = append(s.Cases, c)
}

// seconds writes milliseconds as JUnit has them.
func seconds(ms float64) string { return fmt.Sprintf("%.3f", ms/1000) }
