package stored

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// readFacts reads a snapshot or a facts event. It ignores fields of a snapshot that it
// does not know.
func readFacts(name string, data []byte) (in judge.Input, faults jsonfile.Faults) {
	f := jsonfile.New(name, data)
	f.Halves = true // a page's text may contain anything
	if n := f.Value(); n != nil {
		in = input(f, n)
	}
	f.Faults.Sort()
	return in, f.Faults
}

func input(f *jsonfile.File, n *jsonfile.Node) judge.Input {
	if typ := n.Get("type"); typ != nil && n.Get("ts") != nil {
		if typ.Text != string(record.TypeFacts) {
			f.FaultAt(typ, `want "facts"; only a facts event can be judged`)
		}
		if facts := n.Get("facts"); facts != nil && facts.Kind != jsonfile.Null {
			readSnapshot(f, facts)
		}
		if len(f.Faults) > 0 {
			return judge.Input{}
		}
		var e record.Event
		if err := json.Unmarshal([]byte(f.Raw(n)), &e); err != nil {
			f.FaultAt(n, "%s", display.VisibleTo(err.Error(), 200))
			return judge.Input{}
		}
		return judgedOn(e.Body.(*record.Facts))
	}
	return captured(f, n)
}

// captured reads what OpenChrome's tools take and give: a call of oc_assert, its evidence, or a snapshot. The
// answers of performance_metrics and console_capture are snapshots, too: their facts say where they come
// from. However late the file is judged, the facts are as old as they were at the time of the evidence.
func captured(f *jsonfile.File, n *jsonfile.Node) judge.Input {
	for _, inside := range []string{"arguments", "structuredContent", "evidence"} {
		n = cmp.Or(n.Get(inside), n)
	}
	snapshot := cmp.Or(n.Get("snapshot"), n)
	in := judge.Input{Facts: readSnapshot(f, snapshot), ClassesDir: facts.ClassesDir()}
	from := cmp.Or(n.Get("provenance"), snapshot.Get("provenance"))
	c := evidence.ContractFacts{Raw: in.Facts.ContractFacts, Tab: evidence.StringAt(from, "target_id")}
	c.Newest()
	in.SessionID, in.Provenance.TargetID, in.Now = cmp.Or(c.Session, facts.SessionID), c.Tab, c.Now
	if at, err := time.Parse(time.RFC3339, evidence.StringAt(from, "captured_at")); err == nil && at.After(in.Now) {
		in.Now = at
	}
	return in
}

// readSnapshot reads facts. A file without any fact is a fault, because it must be some
// other file.
func readSnapshot(f *jsonfile.File, n *jsonfile.Node) *evidence.Facts {
	isFact := func(m *jsonfile.Node) bool { return slices.Contains(evidence.FactNames, m.Key) }
	if n.Kind == jsonfile.Object && len(n.Items) > 0 && !n.Cut && !slices.ContainsFunc(n.Items, isFact) {
		f.FaultAt(n, "none of its fields is a fact; the facts are %s", strings.Join(evidence.FactNames, ", "))
	}
	return evidence.ReadFacts(f, n)
}
