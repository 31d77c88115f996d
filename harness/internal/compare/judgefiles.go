package compare

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/jsonfile"
	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/harness/task"
)

// readContract reads a contract, or the one of a task file, which is told by
// its success; the rest of a task is what task:check looks at.
func readContract(name string, data []byte) (c *contract.Contract, faults jsonfile.Faults) {
	f := jsonfile.New(name, data)
	if n := f.Value(); n != nil {
		if success := n.Get("success"); success != nil && n.Get("kind") == nil {
			n = success
		}
		c = task.ReadContract(f, n)
	}
	f.Faults.Sort()
	return c, f.Faults
}

// readFacts reads a snapshot, or a whole facts event. OpenChrome's snapshot may
// have fields that are not known here; those are passed over.
func readFacts(name string, data []byte) (in contract.Input, faults jsonfile.Faults) {
	f := jsonfile.New(name, data)
	f.Halves = true // a page may say anything
	if n := f.Value(); n != nil {
		in = input(f, n)
	}
	f.Faults.Sort()
	return in, f.Faults
}

func input(f *jsonfile.File, n *jsonfile.Node) contract.Input {
	if typ := n.Get("type"); typ != nil && n.Get("ts") != nil {
		if typ.Text != string(event.TypeFacts) {
			f.FaultAt(typ, `want "facts": of the events of a log, only this one can be judged`)
		}
		if facts := n.Get("facts"); facts != nil && facts.Kind != jsonfile.Null {
			checkFacts(f, facts)
		}
		var e event.Event
		if decode(f, n, &e) {
			return judgedOn(e.Body.(*event.Facts))
		}
		return contract.Input{}
	}
	checkFacts(f, n)
	facts := new(contract.Facts)
	decode(f, n, facts)
	return contract.Input{Facts: facts, SessionID: openchrome.SessionID, Now: time.Now(), ClassesDir: openchrome.ClassesDir()}
}

// decode reads a node into v, unless there are faults; an error is one.
func decode(f *jsonfile.File, n *jsonfile.Node, v any) bool {
	if len(f.Faults) > 0 {
		return false
	}
	err := json.Unmarshal(f.Raw(n), v)
	if err != nil {
		f.FaultAt(n, "%s", jsonfile.Plain(err.Error(), 200))
	}
	return err == nil
}

// factNames are the fields of a snapshot.
var factNames = []string{
	"url", "dom_text", "dom_count", "network", "has_open_dialog", "screenshot_png_base64", "contract_facts", "last_tool_call", "unavailable",
}

// checkFacts tells at its place what package contract would not read. null is as
// good as absent.
func checkFacts(f *jsonfile.File, n *jsonfile.Node) {
	if !f.Want(n, jsonfile.Object, "an object of facts") {
		return
	}
	known := len(n.Members) == 0
	each := func(n *jsonfile.Node, want jsonfile.Kind, what string) {
		for _, m := range n.Members {
			if m.Value.Kind != jsonfile.Null {
				f.Want(m.Value, want, what)
			}
		}
	}
	for _, m := range n.Members {
		v := m.Value
		known = known || slices.Contains(factNames, m.Key)
		if v.Kind == jsonfile.Null {
			continue
		}
		switch m.Key {
		case "url", "screenshot_png_base64":
			f.Want(v, jsonfile.String, "a string")
		case "has_open_dialog":
			f.Bool(v)
		case "last_tool_call":
			f.Want(v, jsonfile.Number, "a number of milliseconds")
		case "dom_text":
			if v.Kind != jsonfile.String && f.Want(v, jsonfile.Object, "a text, or an object with the text of each selector") {
				each(v, jsonfile.String, "a text, or null where nothing matches")
			}
		case "dom_count":
			if f.Want(v, jsonfile.Object, "an object with the count of each selector") {
				each(v, jsonfile.Number, "a number")
			}
		case "unavailable":
			if f.Want(v, jsonfile.Object, "an object with the reason for each fact") {
				each(v, jsonfile.String, "a reason")
			}
		case "network":
			f.Array(v, "requests", func(n *jsonfile.Node) {
				if n.Kind == jsonfile.Null || !f.Want(n, jsonfile.Object, "an object with url and status") {
					return
				}
				if url := n.Get("url"); url != nil && url.Kind != jsonfile.Null {
					f.Want(url, jsonfile.String, "a string")
				}
			})
		}
	}
	if !known && !n.Cut {
		f.FaultAt(n, "no field of it is a fact; the facts are %s", strings.Join(factNames, ", "))
	}
}
