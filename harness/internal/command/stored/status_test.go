package stored

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
)

func TestMain(m *testing.M) {
	watchdog.Main()
	os.Exit(m.Run())
}

// A status that does not follow from the logged events is a difference, whatever
// it was changed to. One episode passes; the others meet the step cap of 1, with
// a contract that does not hold.
func TestJudgeStatusAgain(t *testing.T) {
	out := t.TempDir()
	var o run.Options
	o.Server, o.RunID, o.Out, o.Stdout, o.Stderr = "standin", "r", out, io.Discard, io.Discard
	o.Task, o.MaxSteps = "example-h1,local-form-submit,local-recovery-stall", 1
	if err := run.Run(t.Context(), o); err == nil {
		t.Fatal("all passed at a step cap of 1")
	}
	name := filepath.Join(out, "events", "r.jsonl")
	log := need.Read(t, name)
	show := func(log string) (string, error) {
		need.Write(t, name, log)
		var stdout bytes.Buffer
		err := Show(t.Context(), option.Values{Out: out, Judge: true, Stdout: &stdout, Stderr: io.Discard})
		return stdout.String(), err
	}
	if said, err := show(string(log)); err != nil || !strings.Contains(said, "IDENTICAL: 3 episodes judged again") {
		t.Fatalf("the log as it is: %v:\n%s", err, said)
	}
	stop := regexp.MustCompile(`("type":"stop","status":)"(\w+)"`)
	found := map[string]int{}
	for _, at := range stop.FindAllStringSubmatchIndex(string(log), -1) {
		is := string(log[at[4]:at[5]])
		found[is]++
		for _, r := range record.Rules {
			if r.Status == record.Status(is) || r.Status == record.Passed { // a pass without a judgement is no log
				continue
			}
			said, err := show(string(log[:at[4]]) + string(r.Status) + string(log[at[5]:]))
			if want := "logged status " + string(r.Status) + ", now decided " + is; program.ExitCode(err) != program.ExitDifference || !strings.Contains(said, want) {
				t.Errorf("%s changed to %s: %v; want a difference: %s", is, r.Status, err, want)
			}
		}
	}
	if found["passed"] != 1 || found["max_steps"] != 2 {
		t.Errorf("statuses %v", found)
	}
	// With another verdict put beside it, too, so that the log is one.
	lines := strings.SplitAfter(string(log), "\n")
	for i, line := range lines {
		if strings.Contains(line, `"type":"contract_eval"`) {
			lines[i] = strings.Replace(line, `"verdict":"fail"`, `"verdict":"pass"`, 1)
		}
		lines[i] = strings.Replace(lines[i], `"status":"max_steps"`, `"status":"passed"`, 1)
	}
	if said, err := show(strings.Join(lines, "")); err == nil || !strings.Contains(said, "logged status passed, now decided max_steps") {
		t.Errorf("a pass that was written into the log: %v:\n%s", err, said)
	}
}
