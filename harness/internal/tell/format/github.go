package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// GitHub writes workflow commands of GitHub Actions: an annotation for each cause why
// episodes of a task did not pass, at the task file. A failure is an error, a void
// episode is a warning, a known defect is a notice. It also appends the Markdown report to
// the job summary, which GITHUB_STEP_SUMMARY names. If that fails, it is one more
// warning.
func GitHub(w io.Writer, r *report.Report) error {
	b := new(bytes.Buffer)
	if !r.Totals.Complete() {
		message := r.Totals.Verdict()
		if left := r.NotDone(); left != "" {
			message += ". Not done: " + left
		}
		annotate(b, "error", "", 0, "Run "+r.RunID+" did not finish", message)
	}
	for _, tool := range r.NoTools {
		annotate(b, "error", "", 0, "Run "+r.RunID, "the server has no tool "+tool)
	}
	type cause struct {
		first *report.Episode
		n     int
	}
	var causes []*cause
	at := map[string]*cause{}
	of := map[string]int{} // episodes of a task
	for _, e := range r.Episodes.All() {
		of[e.TaskID]++
		class := e.Status.Class()
		if class == record.Pass {
			continue
		}
		key := e.TaskID + "\x00" + string(class) + "\x00" + why.Group(e)
		if at[key] == nil {
			at[key] = &cause{first: e}
			causes = append(causes, at[key])
		}
		at[key].n++
	}
	shown := map[string]int{} // by level
	more := 0
	for _, c := range causes {
		first := c.first
		level, how := "error", "failed"
		switch {
		case first.KnownDefect:
			level, how = "notice", "known defect"
		case first.Status.Class() == record.Void:
			level, how = "warning", "void"
		}
		if shown[level]++; shown[level] > maxAnnotations {
			more++
			continue
		}
		file, line := place(r, first)
		title := fmt.Sprintf("%s: %d of %d %s", first.TaskID, c.n, of[first.TaskID], how)
		annotate(b, level, file, line, title, cmp.Or(why.Line(first), string(first.Status)))
	}
	if more > 0 {
		annotate(b, "notice", "", 0, "openchrome-bench", fmt.Sprintf("%s not shown here; the job summary has all", display.Count(more, "more annotation")))
	}
	if err := summarise(path.Join(report.ReportsDir, r.RunID+".md"), func(w io.Writer) error { return Markdown(w, r) }); err != nil {
		annotate(b, "warning", "", 0, "openchrome-bench", err.Error())
	}
	_, err := w.Write(b.Bytes())
	return err
}

// maxAnnotations is how many annotations of a level GitHub shows for a step.
const maxAnnotations = 10

// annotate writes one workflow command. Line 0 and an empty file stand for none.
func annotate(w io.Writer, level, file string, line int, title, text string) {
	var at string
	if file != "" {
		at = fmt.Sprintf("file=%s,line=%d,", property(file), line)
	}
	fmt.Fprintf(w, "::%s %stitle=%s::%s\n", level, at, property(title), message(text))
}

// maxMessage is how many characters of a cause an annotation shows.
const maxMessage = 1000

// The escapes of workflow commands. Nothing that remains can end the line or the property.
var (
	escapeMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func message(s string) string { return escapeMessage.Replace(display.VisibleTo(s, maxMessage)) }

func property(s string) string { return escapeProperty.Replace(display.VisibleTo(s, maxMessage)) }

// place returns the file of the episode's task and the line of the assertion that does
// not hold: the first line if there is no such assertion, or the file is not the one that
// ran. The path is relative to the repository where the file is in it.
func place(r *report.Report, e *report.Episode) (file string, line int) {
	var task report.Task
	for _, t := range r.Tasks {
		if t.ID == e.TaskID {
			task = t
		}
	}
	if file = inRepository(task.File); file == "" {
		return "", 0
	}
	return file, contractLine(task, e)
}

// inRepository returns the path relative to GITHUB_WORKSPACE; empty if the repository lacks it, as it
// lacks a built-in task: nothing can be shown there.
func inRepository(name string) string {
	workspace := os.Getenv("GITHUB_WORKSPACE")
	if workspace == "" || name == "" {
		return name
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(abs); err != nil {
		return ""
	}
	rel, err := filepath.Rel(workspace, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

func contractLine(task report.Task, e *report.Episode) int {
	f := jsonfile.Read(os.DirFS(filepath.Dir(task.File)), filepath.Base(task.File), task.File, "")
	root := f.Value()
	node := root.Get("success")
	if node == nil || len(f.Faults) > 0 || e.FailedContract == nil {
		return 1
	}
	var is, ran bytes.Buffer
	if errors.Join(json.Compact(&is, []byte(f.Raw(node))), json.Compact(&ran, task.Contract)) != nil || !bytes.Equal(is.Bytes(), ran.Bytes()) {
		return 1
	}
	for _, part := range strings.Split(e.FailedContract.Path, ".")[1:] { // after $
		child := node.Get(part)
		if i, err := strconv.Atoi(part); err == nil && node.Is(jsonfile.Array) && i >= 0 && i < len(node.Items) {
			child = node.Items[i]
		}
		if child == nil {
			break
		}
		node = child
	}
	return f.Remark(node, "").Line
}

// maxJobSummary is how many bytes GitHub accepts as the summary of a step.
const maxJobSummary = 1 << 20

// summarise appends what write writes to the job summary. It cuts what is too long, because GitHub
// would show nothing of it. All of it is in file.
func summarise(file string, write func(io.Writer) error) error {
	name := os.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("job summary: %w", err)
	}
	var b bytes.Buffer
	write(&b) // a buffer takes everything
	b.WriteByte('\n')
	text := b.Bytes()
	// GitHub hides what follows an open <details>, so the notice comes first.
	notice := fmt.Sprintf("The report is longer than a job summary can be. All of it is in ` %s `.\n\n", strings.ReplaceAll(display.Visible(file), "`", ""))
	if info, err := f.Stat(); err == nil && len(text) > maxJobSummary-int(info.Size()) {
		room := max(0, maxJobSummary-int(info.Size())-len(notice))
		if text = text[:bytes.LastIndexByte(text[:room], '\n')+1]; len(text) > 0 {
			text = append([]byte(notice), text...)
		}
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
