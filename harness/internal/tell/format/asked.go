package format

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// asked are the formats that a run writes only if -format or the environment asks for
// them. The name of a file is the run's id and ext. A format without ext goes to standard
// output.
var asked = []struct {
	name, ext string
	write     func(io.Writer, *report.Report) error
}{
	{"junit", ".junit.xml", JUnit},
	{"gobench", ".bench.txt", GoBench},
	{github, "", GitHub},
}

const github = "github"

// Parse checks the value of -format: names, separated by commas. It returns them, each
// once. In GitHub Actions it adds github.
func Parse(list string) (string, error) {
	var known, names []string
	for _, f := range asked {
		known = append(known, f.name)
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name != "" && !slices.Contains(known, name) {
			return "", fmt.Errorf("-format: is %s, want %s, or several separated by commas%s",
				display.Quote(name), strings.Join(known, ", "), display.DidYouMean(name, known))
		}
		names = append(names, name)
	}
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		names = append(names, github)
	}
	slices.Sort(names)
	return strings.Trim(strings.Join(slices.Compact(names), ","), ","), nil
}

// WriteAsked writes the report in each format of list, which is from [Parse]: to a file in
// out/reports, or to stdout. A format that cannot be written does not keep back the others;
// the errors are joined.
func WriteAsked(stdout io.Writer, out, list string, r *report.Report) error {
	var errs []error
	for _, f := range asked {
		if !slices.Contains(strings.Split(list, ","), f.name) {
			continue
		}
		var err error
		if f.ext == "" {
			err = f.write(stdout, r)
		} else {
			err = regular.Write(out, filepath.Join(report.ReportsDir, r.RunID+f.ext), func(w io.Writer) error { return f.write(w, r) })
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("write report as %s: %w", f.name, err))
		}
	}
	return errors.Join(errs...)
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
