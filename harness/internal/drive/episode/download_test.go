package episode_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// The verdict, which is made once the web rests, still knows of a file that arrived before.
func TestDownloadIsJudged(t *testing.T) {
	t.Parallel()
	const bill = "tea,3\n"
	l := plantedLauncher(t, filepath.Join("..", "launch", "testdata", "toy"), map[string]string{
		"index.html": plantedHead + `<h1>Bills</h1><script>location = "/bill"</script>`,
		"_bill.csv":  bill,
		"routes.json": `[{"path": "/bill", "headers": {"Content-Disposition": "attachment; filename=\"bill.csv\""},
			"file": "_bill.csv"}]`,
	})
	for sent, want := range map[string]record.Status{bill: record.Passed, "tea,4\n": record.Failed} {
		var log []record.Event
		o := options(t, nil, calls(), &log)
		var faults []judge.Fault
		o.Task.Success, faults = judge.Parse(fmt.Appendf(nil, `{"kind":"network","status_in":[200],"since":"contract_enter",
			"url_pattern":"^https://toy\\.test/\\.got/bill\\.csv\\?sha256=%x$"}`, sha256.Sum256([]byte(sent))))
		need.None(t, faults)
		o.Task.StartURL, o.Launcher, o.Session = "https://toy.test/", "toy", launchToy(t, l)
		if stop, err := episode.Run(t.Context(), o); err != nil || stop.Status != want {
			t.Errorf("%q: %s (%s), error %v; want %s", sent, stop.Status, stop.Reason, err, want)
		}
	}
}
