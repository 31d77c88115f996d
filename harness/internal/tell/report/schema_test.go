package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

const root = "../../../.."

// The schemas are made from the Go types: these tests hold the two together.
func TestReportSchema(t *testing.T) {
	s := schemaOf[report.Report](t)
	s.Title, s.ID = "openchrome-bench report", "report.schema.json"
	s.Properties["schemaVersion"].Const = new(any(report.SchemaVersion))
	golden(t, filepath.Join(root, "reports", "report.schema.json"), s)
}

func TestEventSchema(t *testing.T) {
	whole := &jsonschema.Schema{Title: "openchrome-bench event, one line of a log", ID: "event.schema.json"}
	whole.OneOf = append(whole.OneOf,
		line(t, record.TypeRunStart, schemaOf[record.RunStart](t)),
		line(t, record.TypeRunResume, schemaOf[record.RunResume](t)),
		line(t, record.TypeReset, schemaOf[record.Reset](t)),
		line(t, record.TypeToolCall, schemaOf[record.ToolCall](t)),
		line(t, record.TypeToolResult, schemaOf[record.ToolResult](t)),
		line(t, record.TypeTrace, schemaOf[record.Trace](t)),
		line(t, record.TypeProgress, schemaOf[record.Progress](t)),
		line(t, record.TypeFacts, schemaOf[record.Facts](t)),
		line(t, record.TypeContractEval, schemaOf[record.ContractEval](t)),
		line(t, record.TypeStop, schemaOf[record.Stop](t)),
		line(t, record.TypeRunEnd, schemaOf[record.RunEnd](t)),
	)
	golden(t, filepath.Join(root, "events", "event.schema.json"), whole)
}

// line adds to a body's fields those that every line has.
func line(t *testing.T, name record.Type, body *jsonschema.Schema) *jsonschema.Schema {
	t.Helper()
	text := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }
	body.Title = string(name)
	body.Properties["seq"] = &jsonschema.Schema{Type: "integer", Minimum: new(0.0)}
	body.Properties["ts"] = &jsonschema.Schema{Type: "string", Format: "date-time"}
	body.Properties["episode"] = text()
	body.Properties["by"] = &jsonschema.Schema{Enum: []any{record.ByAdapter, record.ByHarness}}
	body.Properties["type"] = &jsonschema.Schema{Const: new(any(name))}
	body.Required = append([]string{"seq", "ts", "type"}, body.Required...)
	return body
}

// schemaOf makes the schema of a type. Types that write their own JSON, and raw
// JSON, are left open or described here.
func schemaOf[T any](t *testing.T) *jsonschema.Schema {
	t.Helper()
	open := &jsonschema.Schema{}
	node := &jsonschema.Schema{Type: "object"} // a tree of its own kind: recursive
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():  open,
		reflect.TypeFor[evidence.Details](): {Type: "object"},
		reflect.TypeFor[evidence.Text]():    {Types: []string{"string", "object"}},
		reflect.TypeFor[judge.Node]():       node,
	}}
	episodes, err := jsonschema.For[[]report.Episode](options)
	need.OK(t, err)
	options.TypeSchemas[reflect.TypeFor[report.Episodes]()] = episodes
	s, err := jsonschema.For[T](options)
	need.OK(t, err)
	return s
}

func golden(t *testing.T, name string, s *jsonschema.Schema) {
	t.Helper()
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	got, err := json.MarshalIndent(s, "", "  ")
	need.OK(t, err)
	got = append(got, '\n')
	if *need.Update {
		need.Write(t, name, got)
	}
	want := need.Read(t, name)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the Go types say; run with -update (-want +got):\n%s", name, diff)
	}
}

// The committed baselines are valid by the schemas.
func TestBaselineIsValid(t *testing.T) {
	check := func(schema string, documents ...[]byte) {
		t.Helper()
		var s jsonschema.Schema
		need.OK(t, json.Unmarshal(read(t, schema), &s))
		resolved, err := s.Resolve(&jsonschema.ResolveOptions{BaseURI: "https://example.com/"})
		need.OK(t, err)
		for i, document := range documents {
			var v any
			err := json.Unmarshal(document, &v)
			if err == nil {
				err = resolved.Validate(v)
			}
			if err != nil {
				t.Errorf("%s, document %d: %v", schema, i+1, err)
			}
		}
	}
	check("reports/report.schema.json", read(t, "reports/mock-standin.json"))
	check("events/event.schema.json", bytes.Split(bytes.TrimSpace(read(t, "events/mock-standin.jsonl")), []byte("\n"))...)
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	return need.Read(t, filepath.Join(root, name))
}
