package run

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// printed runs episodes on a printer that is no terminal, and returns its lines. Each
// takes as long as took says, with so many at a time.
func printed(t *testing.T, total, parallel int, took time.Duration, status func(n int) record.Status) []string {
	var b bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		var o Options
		o.Stdout, o.Stderr = &b, &b
		p := newPrinter(o, func() {})
		p.total = total
		for n := 0; n < total; n += parallel {
			names := make([]string, min(parallel, total-n))
			for i := range names {
				names[i] = fmt.Sprintf("a#%d", n+i+1)
				p.event(record.Event{Episode: names[i], Body: &record.Reset{}})
				p.begin(names[i])
			}
			time.Sleep(took)
			for i, name := range names {
				p.end(name, record.Stop{Status: status(n + i + 1)}, true)
			}
		}
		p.Close(t.Context())
	})
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func allPass(int) record.Status { return record.Passed }

// Lines of progress come every ten seconds or every tenth, whichever is rarer, but at least
// each minute.
func TestProgressLines(t *testing.T) {
	isProgress := regexp.MustCompile(`^\d+ of \d+ done`)
	tests := []struct {
		name            string
		total, parallel int
		took            time.Duration
		want            []string
	}{
		{"a tenth takes 20 s", 20, 1, 10 * time.Second, []string{
			"2 of 20 done: 2 passed, 0 failed, 0 void",
			"4 of 20 done: 4 passed, 0 failed, 0 void; about 2m40s left",
			"6 of 20 done: 6 passed, 0 failed, 0 void; about 2m20s left",
			"8 of 20 done: 8 passed, 0 failed, 0 void; about 2m0s left",
			"10 of 20 done: 10 passed, 0 failed, 0 void; about 1m40s left",
			"12 of 20 done: 12 passed, 0 failed, 0 void; about 1m20s left",
			"14 of 20 done: 14 passed, 0 failed, 0 void; about 1m0s left",
			"16 of 20 done: 16 passed, 0 failed, 0 void; about 40s left",
			"18 of 20 done: 18 passed, 0 failed, 0 void; about 20s left",
		}},
		{"a tenth takes 3 s", 30, 1, time.Second, []string{
			"10 of 30 done: 10 passed, 0 failed, 0 void; about 20s left",
			"20 of 30 done: 20 passed, 0 failed, 0 void; about 10s left",
		}},
		{"three at a time", 30, 3, 4 * time.Second, []string{
			"7 of 30 done: 7 passed, 0 failed, 0 void; about 39s left",
			"16 of 30 done: 16 passed, 0 failed, 0 void; about 21s left",
			"25 of 30 done: 25 passed, 0 failed, 0 void; about 7s left",
		}},
		{"over in 9 s", 9, 1, time.Second, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, line := range printed(t, tt.total, tt.parallel, tt.took, allPass) {
				if isProgress.MatchString(line) {
					got = append(got, line)
				}
			}
			need.Equal(t, "lines", tt.want, got)
		})
	}
}

// A long run prints no lines for episodes that passed.
func TestLinesOfALongRun(t *testing.T) {
	every40th := func(n int) record.Status {
		if n%40 == 0 {
			return record.Failed
		}
		return record.Passed
	}
	lines := printed(t, maxLines+20, 1, time.Millisecond, every40th)
	if len(lines) != 3 || !strings.HasPrefix(lines[2], "failed        a#120") {
		t.Errorf("want 3 lines of failures, got:\n%s", strings.Join(lines, "\n"))
	}
	if lines := printed(t, maxLines, 1, time.Millisecond, every40th); len(lines) != maxLines {
		t.Errorf("%d lines of %d episodes", len(lines), maxLines)
	}
}
