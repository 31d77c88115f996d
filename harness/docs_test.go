package harness_test

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/openchrome/bench/harness/internal/command/line"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// Every command of the documentation is run, in the order of its page, in a folder with a copy of the
// project's data, as far as the page names it. One that needs what CI lacks is checked for its target and options.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	ran, checked := map[string]int{}, map[string]int{}
	t.Cleanup(func() {
		if ran["README.md"] < 7 || checked["README.md"] != 6 || checked[filepath.Join("docs", "benchmarks", "agents.md")] != 3 {
			t.Errorf("ran %v, checked %v: are the pages read right?", ran, checked)
		}
	})
	for _, page := range docPages(t) {
		run, check := commands(t, page)
		ran[page], checked[page] = len(run), len(check)
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			for _, command := range check {
				checkDocumented(t, command)
			}
			checkSpans(t, page)
			if run == nil {
				return
			}
			dir := t.TempDir()
			for _, data := range []string{"fixtures", "sites"} {
				if !strings.Contains(strings.Join(run, "\n"), data+"/") {
					continue
				}
				need.OK(t, os.CopyFS(filepath.Join(dir, data), os.DirFS(filepath.Join(root(), data))))
			}
			for _, command := range run {
				runDocumented(t, dir, command)
			}
		})
	}
}

// docPages are the pages that people read.
func docPages(t *testing.T) (pages []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root()), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || name != "." && strings.HasPrefix(name, ".")):
			return fs.SkipDir
		case path.Ext(name) == ".md" && (path.Dir(name) != "reports" || name == "reports/README.md"):
			pages = append(pages, filepath.FromSlash(name))
		}
		return nil
	})
	if err != nil || len(pages) < 14 {
		t.Fatalf("found %q, %v", pages, err)
	}
	return append(pages, "magefile.go")
}

// fenced matches a block of code: its language and its lines.
var fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// lacks matches a command that needs what CI lacks: another program, this project's own checkout, a
// server, an agent, or a file of the reader.
var lacks = regexp.MustCompile(`^(CGO_ENABLED\S*|docker|kubectl|go test|go generate) |-compile|-servers?=(local|container|playwright-mcp)|-base=bench/|-out=nightly`)

// commands returns the commands of a page that are run, and those that are only checked. The test of
// testdata/outside runs the block that copies it.
func commands(t *testing.T, page string) (run, check []string) {
	t.Helper()
	text := need.Read(t, filepath.Join(root(), page))
	for _, block := range fenced.FindAllStringSubmatch(string(text), -1) {
		// A step of git bisect is in quotes, and needs a history.
		if block[1] != "" && block[1] != "sh" || copiesOutside(block[2]) || strings.HasPrefix(block[2], "git bisect") {
			continue
		}
		for line := range strings.Lines(strings.ReplaceAll(block[2], "\\\n", " ")) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "  # ")
			ours := slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(line, start) })
			switch {
			case line == "" || block[1] == "" && !ours && !lacks.MatchString(line): // what a command prints
			case lacks.MatchString(line):
				check = append(check, line)
			default:
				run = append(run, line)
			}
		}
	}
	return run, check
}

// targetName matches the name of a target with a colon, or one after a way to start it.
var targetName = regexp.MustCompile(`(?:^|mage |mage\.go |bench )([a-z]+:[a-z]+|doctor|version)(?: |$)`)

// checkDocumented reads the options of a command as the program does, and looks for the files of this
// project that it names.
func checkDocumented(t *testing.T, command string) {
	t.Helper()
	for _, file := range ownFile.FindAllString(command, -1) {
		if _, err := os.Stat(filepath.Join(root(), strings.TrimSpace(file))); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	name := targetName.FindStringSubmatchIndex(command)
	if name == nil {
		return
	}
	target, ok := line.Find(command[name[2]:name[3]])
	if !ok {
		t.Errorf("%s: there is no such target", command)
		return
	}
	words, err := session.SplitCommand("x " + command[name[3]:])
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	v, err := option.Target(target.Name).Read(words[1:])
	if err != nil || v.More != "" {
		t.Errorf("%s: %v %q", command, err, v.More)
	}
	for _, peer := range server.Names()[1:] {
		if name, _, _ := strings.Cut(v.Server, ":"); name == peer && v.Adapter == "" {
			t.Errorf("%s: no built-in task has a transcript for %s; a policy can carry it out", command, name)
		}
	}
}

var ownFile = regexp.MustCompile(` (harness|containers|docs|fixtures|servers|sites)/[\w./-]+`)

// checkSpans looks for the targets and options that a page names in its sentences.
func checkSpans(t *testing.T, page string) {
	t.Helper()
	text := need.Read(t, filepath.Join(root(), page))
	for _, span := range regexp.MustCompile("`+([^`\n]+)`").FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(span[1], "mage -h ") {
			t.Errorf("%s: %s: write mage TARGET -h, as the README does", page, span[1])
		}
		name := targetName.FindStringSubmatch(span[1])
		if name == nil {
			continue
		}
		target, ok := line.Find(name[1])
		if !ok {
			t.Errorf("%s: %s: there is no such target", page, span[1])
		}
		for _, o := range regexp.MustCompile(` -(\w+)`).FindAllStringSubmatch(span[1], -1) {
			if o[1] != "h" && o[1] != "all" && !slices.ContainsFunc(option.Target(target.Name).Rows(), func(r option.Row) bool { return r.Name == o[1] }) {
				t.Errorf("%s: %s: %s has no option -%s", page, span[1], target.Name, o[1])
			}
		}
	}
}

// The ways to start a target, which stand for the compiled binary here: mage
// itself compiles into the project, which tests that run together must not.
var starts = []string{"go run mage.go ", "go tool mage ", "bin/bench ", "mage ", "bench "}

// prints has what each target prints when it has done what the page says of it.
var prints = map[string]string{
	"bench:mock": "\nPASSED: ", "bench:episode": "\nPASSED: ", "bench:verify": "\nIDENTICAL: the diff of 5 runs is empty\n",
	"task:check": "valid, 0 warnings\n", "task:try": "\nPASSED\n", "report:show": "Run ", "site:serve": "http://localhost:",
	"report:compare": "\nno difference shown: no outcome changed in 6 tasks × 5;", "test": "\nUsage:",
	"report:merge": "\nPASSED: 12 passed", "suite:check": "\nPASSED: 1 proved\n",
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
	cmd.Env = append(os.Environ(), "OPENCHROME_BENCH_SERVER=standin", "PATH="+filepath.Dir(bench)+string(os.PathListSeparator)+os.Getenv("PATH"))
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
	page := need.Read(t, filepath.Join(root(), "README.md"))
	list, err := exec.Command(bench, "-l").Output()
	need.OK(t, err)
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
	if n == 0 {
		t.Errorf("found no targets: is the list read right?\n%s", list)
	}
}

var inCode = regexp.MustCompile("`((?:harness|sites|fixtures|containers|docs)/[\\w./-]+)`")

// CONTRIBUTING.md names files and tests that are there.
func TestContributing(t *testing.T) {
	page := need.Read(t, filepath.Join(root(), "docs", "CONTRIBUTING.md"))
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
		page := need.Read(t, filepath.Join(root(), name))
		pages = append(pages, page...)
	}
	for _, name := range []string{"reports/report.schema.json", "events/event.schema.json"} {
		raw := need.Read(t, filepath.Join(root(), name))
		var schema any
		need.OK(t, json.Unmarshal(raw, &schema))
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

// Mage lists the doc comments of the functions. They begin with the first sentence of the table, which the
// help shows, and name that help.
func TestTargetsAreTheTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("targets", "targets.go"), nil, parser.ParseComments)
	need.OK(t, err)
	found := 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !f.Name.IsExported() {
			continue
		}
		found++
		name := string(unicode.ToLower(rune(f.Name.Name[0]))) + f.Name.Name[1:]
		if f.Recv != nil {
			name = strings.ToLower(f.Recv.List[0].Type.(*ast.Ident).Name) + ":" + name
		}
		target, ok := line.Find(name)
		first, _, _ := strings.Cut(target.Doc, ". ")
		want := f.Name.Name + " " + strings.TrimSuffix(first, ".") + ". Help: mage " + name + " -h."
		if !ok || strings.Join(strings.Fields(f.Doc.Text()), " ") != want {
			t.Errorf("%s: its comment is\n%s\nwant\n%s", name, f.Doc.Text(), want)
		}
	}
	need.Is(t, "targets", len(line.Targets), found)
}
