package task

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// FuzzLoad checks that any file either has faults that can be printed, or makes
// a spec that can be run and that reads the same when it is written again.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "invalid", "*", FileName))
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(minimal)
	f.Add(with(`"maxSteps":1e1,"tags":["x"],"setup":{"viewport":{"width":8e2,"height":600.0}}`))
	f.Fuzz(func(t *testing.T, data string) {
		specs, err := read(source(map[string]string{"a/task.json": data}), Options{Hosts: hosts})
		if err != nil {
			faults, ok := errors.AsType[jsonfile.Faults](err)
			if !ok || len(faults) == 0 {
				t.Fatalf("error is a %T: %v", err, err)
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "tasks/a/task.json:") || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("fault %q", line)
				}
			}
			return
		}
		again, err := json.Marshal(specs[0])
		need.OK(t, err)
		same, err := read(source(map[string]string{"a/task.json": string(again)}), Options{Hosts: hosts})
		if err != nil {
			t.Fatalf("written again: %v\n%s", err, again)
		}
		opts := cmp.Options{sameSpec, cmpopts.IgnoreFields(Spec{}, "Success", "Warnings"), cmpopts.EquateEmpty()}
		if diff := cmp.Diff(specs, same, opts); diff != "" {
			t.Errorf("written again (-first +second):\n%s", diff)
		}
	})
}
