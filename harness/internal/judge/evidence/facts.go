// Package evidence holds what a judgement was made from, in OpenChrome's forms: the [Facts] of
// evidence.snapshot, the performance and console facts in them ([ContractFacts]), and the values
// that each assertion was judged on ([Node]). It judges no contract.
package evidence

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Facts are the values that were read from the page, in the form of OpenChrome's
// evidence.snapshot. Encoding them as JSON loses nothing, so that a logged judgement can be
// made again. Strings are WTF-8 (see [Details]). Names and types of the fields decide how
// they are read and written.
type Facts struct {
	// URL is the page's address. nil counts as the empty string.
	URL *string `json:"url,omitempty"`
	// DOMText is the text of the page or of selectors. If it is nil, no text was read, and
	// no dom_text assertion holds.
	DOMText *Text `json:"dom_text,omitempty"`
	// DOMCount maps a selector to the number of elements that match it. A
	// selector that is missing counts 0.
	DOMCount map[string]float64 `json:"dom_count,omitempty"`
	// Network lists the requests in their order.
	Network []Request `json:"network,omitempty"`
	// HasOpenDialog says whether a JavaScript dialog is open.
	HasOpenDialog bool `json:"has_open_dialog,omitempty"`
	// ScreenshotPNG is a PNG in base64. "": there is no screenshot.
	ScreenshotPNG string `json:"screenshot_png_base64,omitempty"`
	// ContractFacts is the array of performance and console facts, as
	// OpenChrome's tools return it. It is judged unchanged.
	ContractFacts json.RawMessage `json:"contract_facts,omitempty"`
	// LastToolCall is not part of OpenChrome's snapshot. It is the time of the last tool
	// call, in milliseconds like [Request.TS]. A network assertion with since
	// last_tool_call ignores earlier entries. If it is 0, all entries count, as in
	// OpenChrome.
	LastToolCall float64 `json:"last_tool_call,omitempty"`
	// NetworkFull is not part of OpenChrome's snapshot. It says that the log of requests was
	// full, so later requests are missing from Network. The session made all of them, so it
	// bears the doubt: below a "not", a network assertion that no logged request meets counts
	// as met.
	NetworkFull bool `json:"network_full,omitempty"`
	// OpenDialog is not part of OpenChrome's snapshot. It describes the open dialog for the
	// evidence, such as: confirm "Delete it?". It is "" if the dialog's text is not known.
	OpenDialog string `json:"open_dialog,omitempty"`
	// Unavailable is not part of OpenChrome's snapshot. It maps the name of a fact that
	// could not be read to the reason, such as the browser's message for an invalid
	// selector. An assertion that needs the fact is inconclusive, with that reason. A name
	// is one of the Fact constants, or TextFact or CountFact of one selector.
	Unavailable map[string]string `json:"unavailable,omitempty"`
}

// SetUnavailable records that a fact could not be read, and why.
func (f *Facts) SetUnavailable(name, reason string) {
	if f.Unavailable == nil {
		f.Unavailable = map[string]string{}
	}
	f.Unavailable[name] = reason
}

// FactNames are the fields of a snapshot.
var FactNames = func() (names []string) {
	for f := range reflect.TypeFor[Facts]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}()

// Names of facts for [Facts.Unavailable]. FactText and FactCount stand for
// all selectors.
const (
	FactURL         = "url"
	FactText        = "dom_text"
	FactCount       = "dom_count"
	FactNetwork     = "network"
	FactDialog      = "dialog"
	FactScreenshot  = "screenshot"
	FactPerformance = "performance"
	FactConsole     = "console"
	FactImageQA     = "image_qa"
)

// TextFact is the name of the text of one selector.
func TextFact(selector string) string { return FactText + " " + selector }

// CountFact is the name of the count of one selector.
func CountFact(selector string) string { return FactCount + " " + selector }

// Text is the fact for dom_text: either one text for all selectors and for assertions
// without a selector, or one text for each named selector.
type Text struct {
	// All is the text when Of is nil.
	All string
	// Of maps a selector to its text; a nil text means that nothing matches.
	Of map[string]*string
}

// For returns the text for an assertion with a selector (named) or without one, or nil if
// there is none.
func (t *Text) For(selector string, named bool) *string {
	switch {
	case t == nil:
		return nil
	case t.Of == nil:
		return &t.All
	case !named:
		return nil
	}
	return t.Of[selector]
}

// Request is one entry of the network facts. Status is the HTTP status; 0, or any other
// invalid status, matches no assertion. TS is in milliseconds. It matters only together
// with [Facts.LastToolCall]; otherwise the order of entries counts.
type Request struct {
	URL    string  `json:"url"`
	Status float64 `json:"status"`
	TS     float64 `json:"ts"`
}

// MarshalJSON writes OpenChrome's snapshot, keys sorted within its maps.
func (f Facts) MarshalJSON() ([]byte, error) {
	o := Details{}
	fields := reflect.ValueOf(f)
	for i, name := range FactNames {
		if field := fields.Field(i); !field.IsZero() && !(name == "unavailable" && field.Len() == 0) {
			o = append(o, Detail{name, factValue(field.Interface())})
		}
	}
	return AppendJSON(nil, o), nil
}

// factValue returns a field of Facts as a value of [Details].
func factValue(field any) any {
	switch v := field.(type) {
	case *Text:
		if v.Of == nil {
			return v.All
		}
		return object(v.Of)
	case map[string]float64:
		return object(v)
	case map[string]string:
		return object(v)
	case []Request:
		list := make([]any, len(v))
		for i, r := range v {
			list[i] = Details{{"url", r.URL}, {"status", r.Status}, {"ts", r.TS}}
		}
		return list
	}
	return field
}

func object[V any](m map[string]V) Details {
	o := Details{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		o = append(o, Detail{key, m[key]})
	}
	return o
}

// UnmarshalJSON reads a snapshot by the rules of [ReadFacts]. Fields that are
// not known are ignored.
func (f *Facts) UnmarshalJSON(data []byte) error {
	file := jsonfile.Loose("facts", data)
	if n := file.Value(); n != nil {
		*f = *ReadFacts(file, n)
	}
	if len(file.Faults) > 0 {
		return file.Faults[0]
	}
	return nil
}

// ReadFacts reads the snapshot at a node of a file. A null is treated as absent. A value
// whose type differs from OpenChrome's documentation is a fault, although OpenChrome's
// JavaScript would coerce it.
func ReadFacts(file *jsonfile.File, n *jsonfile.Node) *Facts {
	r := factReader{file, &Facts{}}
	file.Want(n, jsonfile.Object, "an object of facts")
	fields := reflect.ValueOf(r.facts).Elem()
	for _, m := range n.Items {
		if i := slices.Index(FactNames, m.Key); i >= 0 && m.Kind != jsonfile.Null {
			r.read(m, fields.Field(i).Addr().Interface())
		}
	}
	return r.facts
}

type factReader struct {
	*jsonfile.File
	facts *Facts
}

func (r factReader) read(n *jsonfile.Node, field any) {
	switch p := field.(type) {
	case **string:
		*p = new(r.text(n, "a string"))
	case *string:
		*p = r.text(n, "a string")
	case *bool:
		*p = r.Bool(n)
	case *float64:
		*p = r.number(n, "a number of milliseconds")
	case *json.RawMessage:
		*p = []byte(r.Raw(n))
	case **Text:
		if n.Kind == jsonfile.String {
			*p = &Text{All: n.Text}
			return
		}
		of := map[string]*string{}
		for _, m := range r.members(n, "a string, or an object with a string for each selector") {
			if of[m.Key] = nil; m.Kind != jsonfile.Null {
				of[m.Key] = new(r.text(m, "a string, or null where nothing matches"))
			}
		}
		*p = &Text{Of: of}
	case *map[string]float64:
		*p = map[string]float64{}
		for _, m := range r.members(n, "an object with the count of each selector") {
			if m.Kind != jsonfile.Null { // null counts as absent
				(*p)[m.Key] = r.number(m, "a number")
			}
		}
	case *map[string]string:
		for _, m := range r.members(n, "an object with the reason for each fact") {
			r.facts.SetUnavailable(m.Key, r.text(m, "a reason"))
		}
	case *[]Request:
		*p = []Request{}
		r.Array(n, "requests", r.request)
		if slices.ContainsFunc(n.Items, func(n *jsonfile.Node) bool { return n.Kind == jsonfile.Null }) {
			// OpenChrome's evaluator throws an exception for such an entry, so these facts
			// cannot be judged.
			*p = nil
			r.facts.SetUnavailable(FactNetwork, "Cannot read properties of null (reading 'url')")
		}
	}
}

func (r factReader) request(n *jsonfile.Node) {
	if n.Kind == jsonfile.Null || !r.Want(n, jsonfile.Object, "an object with url and status") {
		return
	}
	var q Request
	if url := n.Get("url"); url != nil && url.Kind != jsonfile.Null {
		q.URL = r.text(url, "a string")
	}
	q.Status, _ = NumberAt(n, "status")
	q.TS, _ = NumberAt(n, "ts")
	r.facts.Network = append(r.facts.Network, q)
}

// members returns the members of an object.
func (r factReader) members(n *jsonfile.Node, want string) []*jsonfile.Node {
	if !r.Want(n, jsonfile.Object, want) {
		return nil
	}
	return n.Items
}

func (r factReader) text(n *jsonfile.Node, want string) string {
	r.Want(n, jsonfile.String, want)
	return n.Text
}

func (r factReader) number(n *jsonfile.Node, want string) float64 {
	r.Want(n, jsonfile.Number, want)
	return n.Float()
}
