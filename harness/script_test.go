package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openchrome/bench/harness/internal/command/line"
)

// exitCmd runs a program and wants its exit code: exit 3 bench bench:mock …
func exitCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit code program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if code, ok := callBench(ts, args[1:]); ok {
		got = code
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// benchCmd runs a target, which must succeed: bench bench:mock …
func benchCmd(ts *testscript.TestScript, neg bool, args []string) {
	code, ok := callBench(ts, append([]string{"bench"}, args...))
	if !ok {
		ts.Fatalf("bench %q: no call of one target; write exec bench", args)
	}
	if (code != 0) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// variables are those of the environment that a script may set for them.
var variables = strings.Fields("HOME TMPDIR PATH TERM FORCE_COLOR CHROME_PATH DOCKER_HOST " +
	"GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_WORKSPACE JOB_COMPLETION_INDEX OPENCHROME_BENCH_SHARDS OPENCHROME_BENCH_STANDIN_LATENCY OPENCHROME_BENCH_VERBOSE")

// calling is locked while a target runs in the folder and with the variables of its script.
var calling sync.Mutex

// callBench calls a target as its program does, because starting that takes longer than most runs. It
// returns its exit code. ok is false for what only the program can do, such as mage's list.
func callBench(ts *testscript.TestScript, args []string) (code int, ok bool) {
	if args[0] != "bench" || len(args) < 2 || slices.Contains(args, "-seed=random") { // the program prints the number
		return 0, false
	}
	target, ok := line.Find(args[1])
	if !ok || target.Name == "doctor" { // of this program
		return 0, false
	}
	calling.Lock()
	defer calling.Unlock()
	defer os.Chdir(filepath.Join(rootDir, "harness"))
	ts.Check(os.Chdir(ts.MkAbs(".")))
	for _, name := range variables {
		was, set := os.LookupEnv(name)
		defer func() {
			if os.Unsetenv(name); set {
				os.Setenv(name, was)
			}
		}()
		ts.Check(os.Setenv(name, ts.Getenv(name)))
	}
	return line.Run(context.Background(), target, args[2:], ts.Stdout(), ts.Stderr()), true
}

// jsonIs compares one value of a JSON file: jsonis reports/latest.json
// episodes.0.status passed. The file's name may be a pattern.
func jsonIs(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: jsonis file path value")
	}
	names, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(names) != 1 {
		ts.Fatalf("%s is %d files", args[0], len(names))
	}
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(names[0])), &v))
	for _, key := range strings.Split(args[1], ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[key]
		case []any:
			i, err := strconv.Atoi(key)
			ts.Check(err)
			if i >= len(node) {
				ts.Fatalf("%s has %d items", args[1], len(node))
			}
			v = node[i]
		default:
			ts.Fatalf("%s: nothing at %q", args[1], key)
		}
	}
	got, isText := v.(string)
	if !isText {
		raw, err := json.Marshal(v)
		ts.Check(err)
		got = string(raw)
	}
	if (got == args[2]) == neg {
		ts.Fatalf("%s is %s", args[1], got)
	}
}

// editCmd replaces a text that must be in a file: edit file old new.
func editCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit file old new")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	writeFile(ts, ts.MkAbs(args[0]), strings.ReplaceAll(text, args[1], args[2]))
}

func writeFile(ts *testscript.TestScript, name, text string) {
	ts.Check(os.WriteFile(name, []byte(text), 0o644))
}
