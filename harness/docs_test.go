package harness_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Every shell command of the documentation is run, in the order of its page,
// in a folder that begins as a copy of the project's data.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"README.md", "docs/benchmarks/episode-harness.md", "docs/benchmarks/comparing.md", "docs/benchmarks/suite-check.md", "fixtures/README.md", "sites/README.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			commands := shellCommands(t, filepath.Join(root(), page))
			if page == "README.md" && len(commands) < 8 {
				t.Fatalf("found %d commands in README.md: is it read right?", len(commands))
			}
			dir := t.TempDir()
			for _, data := range []string{"fixtures", "sites"} {
				if err := os.CopyFS(filepath.Join(dir, data), os.DirFS(filepath.Join(root(), data))); err != nil {
					t.Fatal(err)
				}
			}
			for _, command := range commands {
				runDocumented(t, dir, command)
			}
		})
	}
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

func shellCommands(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				commands = append(commands, line)
			}
		}
	}
	return commands
}

// The ways to start a target, which stand for the compiled binary here: mage
// itself compiles into the project, which tests that run together must not.
var starts = []string{"go run mage.go ", "go tool mage ", "bin/bench ", "mage "}

// prints has what each target prints when it has done what the page says of it.
var prints = map[string]string{
	"bench:mock": "\nPASSED: ", "bench:episode": "\nPASSED: ", "bench:verify": "\nIDENTICAL: the diff of 5 runs is empty\n",
	"task:check": "valid, 0 warnings\n", "task:try": "\nPASSED\n", "report:show": "# Run ", "site:serve": "http://localhost:",
	"report:compare": "\nno difference shown: no outcome changed in 30 pairs of 6 tasks\n", "test": "\nUsage:",
	"report:merge": "\nPASSED: 12 passed", "suite:check": "\nPASSED: 1 task passed ",
}

// wants is what a command must print; a command that is not a target of ours
// prints nothing.
func wants(t *testing.T, command string) string {
	t.Helper()
	switch {
	case strings.Contains(command, "report:show -episode="):
		return "PASSED  "
	case strings.Contains(command, "-drift=accept"):
		return "accept"
	case strings.Contains(command, "-facts="):
		return "PASS: "
	}
	words := strings.Fields(command)
	if words[0] != "bench" {
		return ""
	}
	if slices.Contains(words, "-h") {
		return "\nUsage: mage " + words[1]
	}
	want, ok := prints[words[1]]
	if !ok {
		t.Errorf("%s: say in this test what it prints", command)
	}
	return want
}

func runDocumented(t *testing.T, dir, command string) {
	t.Helper()
	shell := command
	for _, start := range starts {
		if rest, ok := strings.CutPrefix(command, start); ok {
			shell = "bench " + rest
			break
		}
	}
	switch {
	case strings.Contains(shell, " -compile "):
		return // what TestMain has just done
	}
	want := wants(t, shell)
	if shell == "bench test" {
		shell = "bench -h test" // this is a part of it
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	serves := strings.Contains(shell, "site:serve")
	if serves {
		ctx, cancel = context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+shell)
	cmd.Dir = dir
	// What auto takes is the machine's affair; that it works is not.
	cmd.Env = append(os.Environ(), "OPENCHROME_BENCH_OPENCHROME=standin", "PATH="+filepath.Dir(bench)+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil && !serves {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
	if !strings.Contains("\n"+string(out), want) || want == "" && len(out) > 0 {
		t.Errorf("%s prints this, want %q in it:\n%s", command, want, out)
	}
}

// README.md lists all targets.
func TestTargetsAreListed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := exec.Command(bench, "-l").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ = bytes.Cut(list, []byte("Targets:\n"))
	n := 0
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		n++
		if listed := regexp.MustCompile("(?m)^\\|[^|]*`" + fields[0] + "`[^|]*\\|"); !listed.Match(page) {
			t.Errorf("the table of targets lacks %s", fields[0])
		}
	}
	if n != 16 {
		t.Errorf("found %d targets: is the list read right?\n%s", n, list)
	}
}

var inCode = regexp.MustCompile("`((?:harness|sites|fixtures|containers|docs)/[\\w./-]+)`")

// packageRow matches a row of CONTRIBUTING's table of packages.
var packageRow = regexp.MustCompile("(?m)^\\| `((?:harness|sites|fixtures|containers)[\\w/]*)` \\|")

// CONTRIBUTING.md lists all packages, and files and tests that are there.
func TestContributing(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root(), "docs", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	packages := regexp.MustCompile("(?s)## Packages\n(.*?)\n## ").FindStringSubmatch(string(page))
	if packages == nil {
		t.Fatal("there is no section Packages")
	}
	var listed []string
	for _, row := range packageRow.FindAllStringSubmatch(packages[1], -1) {
		listed = append(listed, row[1])
	}
	var want []string
	for _, path := range goList(t, "./...") {
		want = append(want, strings.TrimPrefix(path, module))
	}
	slices.Sort(listed)
	slices.Sort(want)
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("packages mismatch (-go list +page):\n%s", diff)
	}
	for _, name := range inCode.FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(filepath.Join(root(), name[1])); err != nil {
			t.Errorf("the page names %s: %v", name[1], err)
		}
	}
	for _, named := range regexp.MustCompile(`(?m)^go test (\./\S+) .*?-(?:run|fuzz|bench) (\w+)`).FindAllStringSubmatch(string(page), -1) {
		tests, err := filepath.Glob(filepath.Join(root(), named[1], "*_test.go"))
		if err != nil || !slices.ContainsFunc(tests, func(file string) bool {
			text, _ := os.ReadFile(file)
			return strings.Contains(string(text), named[2]+"(")
		}) {
			t.Errorf("the page names %s, which %s does not have", named[2], named[1])
		}
	}
}

// The pages of reports and of event logs explain every field of their schemas. Each page links
// to the other for a field that it does not name.
func TestFieldsAreDocumented(t *testing.T) {
	var pages []byte
	for _, name := range []string{"reports/README.md", "events/README.md"} {
		page, err := os.ReadFile(filepath.Join(root(), name))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page...)
	}
	for _, name := range []string{"reports/report.schema.json", "events/event.schema.json"} {
		raw, err := os.ReadFile(filepath.Join(root(), name))
		if err != nil {
			t.Fatal(err)
		}
		var schema any
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		fields := fieldsOf(schema)
		if len(fields) < 100 {
			t.Errorf("%s has %d fields: is it read right?", name, len(fields))
		}
		for _, field := range slices.Compact(slices.Sorted(slices.Values(fields))) {
			if !bytes.Contains(pages, []byte("`"+field+"`")) {
				t.Errorf("%s has the field %s, which neither reports/README.md nor events/README.md explains", name, field)
			}
		}
	}
}

// fieldsOf returns the names of all properties in a JSON schema.
func fieldsOf(schema any) (names []string) {
	switch s := schema.(type) {
	case []any:
		for _, v := range s {
			names = append(names, fieldsOf(v)...)
		}
	case map[string]any:
		for key, v := range s {
			if properties, ok := v.(map[string]any); ok && key == "properties" {
				names = slices.AppendSeq(names, maps.Keys(properties))
			}
			names = append(names, fieldsOf(v)...)
		}
	}
	return names
}
