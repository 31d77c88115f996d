package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// GitHub writes workflow commands of GitHub Actions: an annotation for each cause why episodes
// did not pass, at the task file of the first of them. A failure is an error, a void
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
		annotate(b, "error", "", "Run "+r.RunID+" did not finish", message)
	}
	for _, tool := range r.NoTools {
		annotate(b, "error", "", "Run "+r.RunID, "the server has no tool "+tool)
	}
	for _, c := range why.Causes(r.Episodes) {
		level := map[record.Class]string{record.Fail: "error", record.Void: "warning"}[c.Episodes[0].Status.Class()]
		if c.Episodes[0].KnownDefect {
			level = "notice"
		}
		title := fmt.Sprintf("%d %s: %s", len(c.Episodes), page.Status(c.Episodes[0].Status, ""), c.Episodes[0].Name)
		if len(c.Episodes) > 1 {
			title += ", …"
		}
		annotate(b, level, fileOf(r, c.Episodes[0].TaskID), title, cmp.Or(why.Line(c.Episodes[0]), string(c.Episodes[0].Status)))
	}
	markdown := func(w io.Writer) error { return Markdown(w, r) }
	if err := summarise(path.Join(report.ReportsDir, r.RunID+".md"), markdown); err != nil {
		annotate(b, "warning", "", "openchrome-bench", err.Error())
	}
	_, err := w.Write(b.Bytes())
	return err
}

// annotate writes one workflow command. An empty file stands for none.
func annotate(w io.Writer, level, file, title, text string) {
	at := ""
	if file != "" {
		at = "file=" + property(file) + ","
	}
	fmt.Fprintf(w, "::%s %stitle=%s::%s\n", level, at, property(title), message(text))
}

// maxMessage is how many characters of a cause an annotation shows.
const maxMessage = 1000

// message writes a text so that nothing in it can end the line, and property so that nothing can end a property.
func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(display.VisibleTo(s, maxMessage))
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(message(s))
}

// fileOf returns the file of a task, relative to GITHUB_WORKSPACE. It is empty if the repository lacks it, as it
// lacks a built-in task: nothing can be shown there.
func fileOf(r *report.Report, task string) string {
	at := slices.IndexFunc(r.Tasks, func(t report.Task) bool { return t.ID == task })
	workspace := os.Getenv("GITHUB_WORKSPACE")
	switch {
	case at < 0 || r.Tasks[at].File == "":
		return ""
	case workspace == "":
		return r.Tasks[at].File
	}
	abs, err := filepath.Abs(r.Tasks[at].File)
	if _, missing := os.Stat(abs); err != nil || missing != nil {
		return ""
	}
	rel, err := filepath.Rel(workspace, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// HoldCommands keeps GitHub Actions from reading commands in what is printed to stdout
// until release is called: a page can contain text that looks like one. It does nothing
// if list does not have github.
func HoldCommands(stdout io.Writer, list string) (release func()) {
	if !slices.Contains(strings.Split(list, ","), github) {
		return func() {}
	}
	token := uuid.NewString() // a page cannot guess it
	fmt.Fprintf(stdout, "::stop-commands::%s\n", token)
	return func() { fmt.Fprintf(stdout, "::%s::\n", token) }
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
	notice := fmt.Sprintf("The report is longer than a job summary can be. All of it is in ` %s `.\n\n",
		strings.ReplaceAll(display.Visible(file), "`", ""))
	if info, err := f.Stat(); err == nil && len(text) > maxJobSummary-int(info.Size()) {
		room := max(0, maxJobSummary-int(info.Size())-len(notice))
		if text = text[:bytes.LastIndexByte(text[:room], '\n')+1]; len(text) > 0 {
			text = append([]byte(notice), text...)
		}
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
