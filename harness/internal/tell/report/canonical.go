package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/normal"
)

// volatile are the fields of a report, its totals and its episodes that may differ between
// two runs that did the same. For events, [normal.Normaliser.Line] does this. Hints are volatile
// because some depend on how long a page took. Causes and the ending are left out because the
// reasons and notes have them in words: so canonical reports keep the bytes that they had before
// causes.
var volatile = []string{"rules", "bill", "cause", "unsupported", "ending", "runId", "parity", "began", "plannedTasks", "durationMs", "artifacts", "host", "harness", "hints", "digest", "page", "pageMissing", "package", "figures", "history", "attempts", "missed", "ended", "agentSaid", "waited"}

// Canonical writes the report without its volatile fields, with sorted keys and one field
// per line. Equal repetitions of a task are one element, with the numbers of all of them.
// Two runs that did the same give the same bytes, and a report that is kept in a repository
// has small diffs.
func Canonical(w io.Writer, r *Report) error {
	head := *r
	head.Episodes = Episodes{}
	head.Tasks = slices.Clone(r.Tasks)
	for i := range head.Tasks {
		head.Tasks[i].File = ""
	}
	fields := strip(head)
	list := []any{}        // never null in JSON
	at := map[string]int{} // index in list by canonical episode
	var numbers [][]int    // repetitions, likewise
	for _, e := range r.Episodes.All() {
		// The digest is of all events: most repetitions need no more to be found equal.
		key := fmt.Sprint(e.TaskID, " ", e.Retries, e.Digest)
		n, ok := at[key]
		if !ok {
			one := canonicalEpisode(e)
			n = len(list)
			at[key] = n
			list, numbers = append(list, one), append(numbers, nil)
		}
		numbers[n] = append(numbers[n], e.Repetition)
	}
	for n, one := range list {
		one.(map[string]any)["repetitions"] = record.Ranges(numbers[n])
	}
	fields["episodes"] = list
	return normal.Write(w, fields)
}

// canonicalEpisode returns an episode without what differs between equal repetitions.
func canonicalEpisode(e *Episode) map[string]any {
	one := strip(e)
	one["events"] = e.Digest
	delete(one, "episode")
	delete(one, "repetition")
	if normal.IsMeasured(e.Evidence) {
		delete(one, "evidence")
		delete(one, "explanation")
		delete(one, "failedContract")
	}
	calls, _ := one["calls"].([]any)
	for _, call := range calls {
		c := call.(map[string]any)
		for _, name := range []string{"durationMs", "argTokens", "answerTokens", "hint", "parts", "partial"} {
			delete(c, name)
		}
	}
	return one
}

// strip returns v as a JSON object without its volatile fields and those of its
// totals.
func strip(v any) map[string]any {
	fields, _ := normal.Decode(normal.Encode(v)).(map[string]any)
	totals, _ := fields["totals"].(map[string]any)
	server, _ := fields["server"].(map[string]any)
	for _, name := range volatile {
		delete(fields, name)
		delete(totals, name)
	}
	delete(server, "package")
	delete(server, "image")
	return fields
}

func digest(r *Report) string {
	h := sha256.New()
	Canonical(h, r) // writing to a hash does not fail
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
