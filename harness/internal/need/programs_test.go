package need

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// everywhere are the programs that tests start without asking package need.
var everywhere = strings.Fields("bench chmod cp env find go grep head mkdir mkfifo openchrome-bench rm sed setsid sh sleep timeout touch true")

// elsewhere are programs that a small Debian lacks. A shell has a kill of its own.
var elsewhere = strings.Fields("chromium curl docker gcc git google-chrome jq killall node npm npx pgrep pkill ps python3 wget")

// A test asks package need for any other program. One that does not fails on a machine that has only Go;
// or, what is worse, it takes the silence of a missing program for an answer and passes.
func TestProgramsAreAskedFor(t *testing.T) {
	tests, scripts := 0, 0
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		var started func(string) []string
		switch {
		case strings.HasSuffix(path, "_test.go"):
			started = startedByTest
			tests++
		case filepath.Dir(path) == filepath.Join(root, "harness", "testdata", "script"):
			started = startedByScript
			scripts++
		default:
			return err
		}
		source, err := os.ReadFile(path)
		for _, line := range started(string(source)) {
			t.Errorf("%s starts a program that not every machine has: %s", path, line)
		}
		return err
	})
	if err != nil || tests < 300 || scripts < 25 {
		t.Errorf("read %d tests and %d scripts: %v", tests, scripts, err)
	}
}

// startedByTest returns the calls of package exec that name a program from elsewhere.
func startedByTest(source string) (calls []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		return []string{err.Error()}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		text := source[call.Pos()-1 : call.End()-1]
		name, ok := strings.CutPrefix(source[call.Pos()-1:call.Lparen-1], "exec.")
		args := call.Args
		switch {
		case ok && name == "CommandContext":
			args = args[1:]
		case !ok || name != "Command" && name != "LookPath":
			return true
		}
		program, named := literal(args[0])
		if named && !slices.Contains(everywhere, filepath.Base(program)) || !named && name == "LookPath" || fromElsewhere(text) {
			calls = append(calls, text)
		}
		return true
	})
	return calls
}

func literal(e ast.Expr) (text string, ok bool) {
	if lit, isLit := e.(*ast.BasicLit); isLit && lit.Kind == token.STRING {
		text, err := strconv.Unquote(lit.Value)
		return text, err == nil
	}
	return "", false
}

var (
	asks    = regexp.MustCompile(`need\.Program\([^)]*\)`)
	between = regexp.MustCompile(`[^\w./=-]+`)
)

// fromElsewhere reports whether a word is the name of such a program.
func fromElsewhere(text string) bool {
	return slices.ContainsFunc(between.Split(asks.ReplaceAllString(text, ""), -1), func(word string) bool {
		return slices.Contains(elsewhere, word)
	})
}

var scriptExec = regexp.MustCompile(`^(?:\[[^]]*\] *|! *)*(?:exec|exit \d+) +(\S+)`)

// startedByScript returns the lines of a script that start a program from elsewhere, or that ask whether it is here.
func startedByScript(script string) (lines []string) {
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "-- ") { // files follow
			break
		}
		m := scriptExec.FindStringSubmatch(line)
		if m != nil && (!slices.Contains(everywhere, m[1]) || fromElsewhere(line)) || strings.Contains(line, "exec:") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func TestStarted(t *testing.T) {
	test := func(calls string) string {
		return "package p\n\nfunc f() {\n" + calls + "\n}\n"
	}
	for _, tt := range []struct {
		started func(string) []string
		source  string
		want    int
	}{
		{startedByTest, test(`exec.Command("go", "vet"); exec.CommandContext(ctx, "/bin/sh", "-c", "kill -9 $$"); exec.Command(bench, "x"); exec.LookPath("sh")`), 0},
		{startedByTest, test(`exec.Command(need.Program(t, "git"), "status"); path := need.Program(t, "node"); exec.Command(path)`), 0},
		{startedByTest, test(`exec.Command("git", "status")`), 1},
		{startedByTest, test(`exec.CommandContext(t.Context(), "/usr/bin/node")`), 1},
		{startedByTest, test(`exec.Command("kill", "-KILL", pid).Run()`), 1},
		{startedByTest, test("exec.Command(`sh`, `-c`, `x=$(ps -A)`)"), 1},
		{startedByTest, test(`exec.Command("env", "-i", "ps", "-A")`), 1},
		{startedByTest, test(`for _, name := range names { exec.LookPath(name) }`), 1},
		{startedByTest, test(`exec.Command("cmark-gfm")`), 1},
		{startedByTest, "no Go", 1},
		{startedByScript, "exec bench task:check\n! exec sh -c 'mkdir .git'\n[linux] exit 2 timeout 60 bench\nstdout 'git'\n-- file --\nexec git\n", 0},
		{startedByScript, "exec git status\n", 1},
		{startedByScript, "[linux] ! exec sh -c 'cd x && node y'\n", 1},
		{startedByScript, "exit 1 docker info\n", 1},
		{startedByScript, "[!exec:sh] stop\n", 1},
	} {
		if got := tt.started(tt.source); len(got) != tt.want {
			t.Errorf("%s: found %q, want %d", tt.source, got, tt.want)
		}
	}
}
