package task

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

// schema is a part of task.schema.json.
type schema map[string]any

// at walks down the keys; nil when one of them is not there.
func (s schema) at(keys ...string) schema {
	for _, k := range keys {
		next, _ := s[k].(map[string]any)
		s = next
	}
	return s
}

func parseSchema(t *testing.T) schema {
	t.Helper()
	var s schema
	need.OK(t, json.Unmarshal(fixtures.Schema, &s))
	return s
}

// jsonNames returns the JSON names of a struct's fields.
func jsonNames(v any) []string {
	var names []string
	for f := range reflect.TypeOf(v).Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestSchemaHasTheFieldsOfSpec(t *testing.T) {
	s := parseSchema(t)
	setup := s.at("properties", "setup")
	viewport := setup.at("properties", "viewport")
	for _, tt := range []struct {
		name string
		want []string
		in   schema
	}{
		{"Spec", append([]string{"$schema"}, jsonNames(Spec{})...), s},
		{"Setup", jsonNames(Setup{}), setup},
		{"Viewport", jsonNames(Viewport{}), viewport},
	} {
		if diff := cmp.Diff(tt.want, slices.Sorted(maps.Keys(tt.in.at("properties")))); diff != "" {
			t.Errorf("%s (-Go +schema):\n%s", tt.name, diff)
		}
		need.Is(t, fmt.Sprintf("%s takes additional properties", tt.name), false, tt.in["additionalProperties"])
	}

	integer := func(high int, more schema) schema {
		want := schema{"type": "integer", "minimum": 1.0, "maximum": float64(high)}
		maps.Copy(want, more)
		return want
	}
	for _, tt := range []struct {
		name      string
		want, got schema
	}{
		{"maxSteps", integer(LimitMaxSteps, schema{"default": float64(DefaultMaxSteps)}), s.at("properties", "maxSteps")},
		{"maxDurationMs", integer(LimitMaxDurationMs, schema{"default": float64(DefaultMaxDurationMs)}), s.at("properties", "maxDurationMs")},
		{"revision", integer(maxRevision, schema{"default": 1.0}), s.at("properties", "revision")},
		{"width", integer(maxViewport, nil), viewport.at("properties", "width")},
		{"height", integer(maxViewport, nil), viewport.at("properties", "height")},
		{"id", schema{"type": "string", "pattern": idPattern.String(), "maxLength": float64(maxID)}, s.at("properties", "id")},
		{"category", schema{"enum": list(Categories), "default": Categories[0]}, s.at("properties", "category")},
	} {
		delete(tt.got, "description")
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-Go +schema):\n%s", tt.name, diff)
		}
	}
}

func list(words []string) []any {
	var l []any
	for _, w := range words {
		l = append(l, w)
	}
	return l
}

// Drawn values are escaped in all patterns of contracts.
func TestPatterns(t *testing.T) {
	var got []string
	for _, def := range parseSchema(t).at("$defs") {
		properties, _ := def.(map[string]any)["properties"].(map[string]any)
		for name := range properties {
			if strings.HasSuffix(name, "pattern") {
				got = append(got, name)
			}
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(judge.Patterns, got); diff != "" {
		t.Errorf("(-Patterns +schema):\n%s", diff)
	}
}

func TestSchemaHasTheKindsOfContracts(t *testing.T) {
	defs := parseSchema(t).at("$defs")
	kinds := judge.Kinds()
	if diff := cmp.Diff(list(kinds), defs.at("assertion", "properties", "kind")["enum"]); diff != "" {
		t.Errorf("kinds (-contract +schema):\n%s", diff)
	}
	for _, kind := range kinds {
		fields, _ := judge.Fields(kind)
		slices.Sort(fields)
		if diff := cmp.Diff(fields, slices.Sorted(maps.Keys(defs.at(kind, "properties")))); diff != "" {
			t.Errorf("fields of %s (-contract +schema):\n%s", kind, diff)
		}
		need.Is(t, fmt.Sprintf("%s takes additional properties", kind), false, defs.at(kind)["additionalProperties"])
		if n := strings.Count(string(fixtures.Schema), `{"const": "`+kind+`"}}}, "then": {"$ref": "#/$defs/`+kind+`"}}`); n != 1 {
			t.Errorf("%d rules lead to $defs/%s, want 1", n, kind)
		}
	}
}

// assertions has an assertion of each kind, with all its fields.
var assertions = map[string]map[string]string{
	"url":              {"pattern": `"x"`},
	"dom_text":         {"selector": `"h1"`, "contains": `"x"`},
	"dom_count":        {"selector": `"h1"`, "op": `"eq"`, "value": `1`},
	"network":          {"url_pattern": `"x"`, "status_in": `[200]`, "since": `"contract_enter"`},
	"screenshot_class": {"class_id": `"a"`, "distance_max": `1`},
	"no_dialog":        {},
	"image_qa":         {"question": `"x"`, "expected_pattern": `"x"`},
	"performance":      {"schema_version": `1`, "metric": `"resource.maxDuration"`, "unit": `"ms"`, "op": `"eq"`, "value": `1`, "max_age_ms": `1`},
	"console": {"schema_version": `1`, "type": `"log"`, "message_pattern": `"x"`, "uncaught": `true`, "op": `"eq"`, "value": `1`,
		"max_age_ms": `1`},
	"and": {"children": `[{"kind":"no_dialog"}]`},
	"or":  {"children": `[{"kind":"no_dialog"}]`},
	"not": {"child": `{"kind":"no_dialog"}`},
}

// Whatever stands in a field of an assertion, or that nothing does, the grammar
// of contracts and the schema take it or refuse it alike.
func TestSchemaAgreesWithContracts(t *testing.T) {
	validate := validator(t)
	values := []string{``, `null`, `true`, `""`, `"x"`, `"a b"`, `".."`, `"-a"`, `"gte"`, `"last_tool_call"`, `"seconds"`,
		`"` + strings.Repeat("a", 64) + `"`, `"` + strings.Repeat("a", 128) + `"`, `"` + strings.Repeat("a", 512) + `"`, `"` + strings.Repeat("a", 513) + `"`,
		`-1`, `0`, `-0`, `1`, `1.0`, `1.5`, `64`, `65`, `99`, `100`, `599`, `600`, `300000`, `300001`, `9007199254740991`, `9007199254740992`,
		`[]`, `[100,599]`, `[99]`, `[200,600]`, `["200"]`, `{}`, `{"kind":"nope"}`, `{"kind":"no_dialog"}`, `[{"kind":"no_dialog"}]`, `[{"kind":"url"}]`, `[null]`}
	for metric := range evidence.Metrics {
		values = append(values, `"`+metric+`"`)
	}
	taken := 0
	for _, kind := range judge.Kinds() {
		if fields, _ := judge.Fields(kind); len(assertions[kind]) != len(fields)-1 {
			t.Errorf("%s has the fields %v, here %v", kind, fields, assertions[kind])
		}
		for field := range assertions[kind] {
			for _, value := range values {
				with := maps.Clone(assertions[kind])
				with[field] = value
				success := `{"kind":"` + kind + `"`
				for name, value := range with {
					if value != "" {
						success += `,"` + name + `":` + value
					}
				}
				file := strings.Replace(minimal, `{"kind":"no_dialog"}`, success+"}", 1)
				refused, err := validate([]byte(file))
				need.OK(t, err)
				_, err = read(source(map[string]string{"a/task.json": file}), Options{})
				if (err == nil) != (refused == nil) {
					t.Errorf("%s: %s %.80s:\nLoad: %v\nschema: %v", kind, field, value, err, refused)
				}
				if err == nil {
					taken++
				}
			}
		}
	}
	if taken < 100 {
		t.Errorf("only %d assertions were valid", taken)
	}
}

// validator reads JSON, and validates it by the schema.
func validator(t *testing.T) func(data []byte) (invalid, unreadable error) {
	t.Helper()
	var s jsonschema.Schema
	need.OK(t, json.Unmarshal(fixtures.Schema, &s))
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{BaseURI: "https://example.com/"})
	need.OK(t, err)
	return func(data []byte) (error, error) {
		var doc any
		if err := json.Unmarshal(data, &doc); err != nil {
			return nil, err
		}
		return resolved.Validate(doc), nil
	}
}

func TestFixturesFollowTheSchema(t *testing.T) {
	validate := validator(t)
	names, err := fs.Glob(fixtures.FS, "*/"+FileName)
	if err != nil || len(names) < 3 {
		t.Fatalf("tasks %v, %v", names, err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(fixtures.FS, name)
		need.OK(t, err)
		if invalid, err := validate(data); err != nil || invalid != nil {
			t.Errorf("%s: %v, %v", name, invalid, err)
		}
	}
}

// beyondSchema are invalid tasks that a JSON Schema cannot refuse.
var beyondSchema = map[string]string{
	"cap-almost-integer": "more digits than a float64 has",
	"byte-order-mark":    "bytes of the file",
	"invalid-utf8":       "bytes of the file",
	"lone-surrogate":     "bytes of the file",
	"id-differs":         "the folder's name",
	"id-taken":           "the folder's name",
	"url-address":        "the sites",
	"url-no-site":        "the sites",
	"url-trailing-dot":   "the sites",
	"url-unknown-host":   "the sites",
	"url-broken":         "the syntax of URLs",
	"url-control":        "the syntax of URLs",
	"url-space-after":    "the syntax of URLs",
	"url-tab":            "the syntax of URLs",
	"url-escape":         "the syntax of URLs",
}

// What the schema refuses Load refuses, and the other way round where a schema
// can say it.
func TestSchemaAgreesWithLoad(t *testing.T) {
	validate := validator(t)
	fsys := os.DirFS("testdata/invalid")
	names, err := fs.Glob(fsys, "*/"+FileName)
	need.OK(t, err)
	seen := 0
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		need.OK(t, err)
		invalid, err := validate(data)
		if err != nil {
			continue // no JSON at all
		}
		refused := invalid != nil
		_, beyond := beyondSchema[path.Dir(name)]
		if refused == beyond {
			t.Errorf("%s: schema refuses: %t, beyond the schema: %t", name, refused, beyond)
		}
		seen++
	}
	if seen < 40 {
		t.Errorf("only %d files were compared", seen)
	}
}
