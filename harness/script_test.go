package harness_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite golden files")

// exitCmd runs a program and wants its exit code: exit 3 bench bench:mock …
func exitCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit code program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
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
