package task

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/contract"
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
	if err := json.Unmarshal(fixtures.Schema, &s); err != nil {
		t.Fatal(err)
	}
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
		if tt.in["additionalProperties"] != false {
			t.Errorf("%s takes additional properties", tt.name)
		}
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

func TestSchemaHasTheKindsOfContracts(t *testing.T) {
	defs := parseSchema(t).at("$defs")
	kinds := contract.Kinds()
	if diff := cmp.Diff(list(kinds), defs.at("assertion", "properties", "kind")["enum"]); diff != "" {
		t.Errorf("kinds (-contract +schema):\n%s", diff)
	}
	for _, kind := range kinds {
		fields, _ := contract.Fields(kind)
		slices.Sort(fields)
		if diff := cmp.Diff(fields, slices.Sorted(maps.Keys(defs.at(kind, "properties")))); diff != "" {
			t.Errorf("fields of %s (-contract +schema):\n%s", kind, diff)
		}
		if defs.at(kind)["additionalProperties"] != false {
			t.Errorf("%s takes additional properties", kind)
		}
		if n := strings.Count(string(fixtures.Schema), `{"const": "`+kind+`"}}}, "then": {"$ref": "#/$defs/`+kind+`"}}`); n != 1 {
			t.Errorf("%d rules lead to $defs/%s, want 1", n, kind)
		}
	}
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(fixtures.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("task.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("task.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFixturesFollowTheSchema(t *testing.T) {
	s := compileSchema(t)
	names, err := fs.Glob(fixtures.FS, "*/"+FileName)
	if err != nil || len(names) < 3 {
		t.Fatalf("tasks %v, %v", names, err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(fixtures.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// beyondSchema are invalid tasks that a JSON Schema cannot refuse.
var beyondSchema = map[string]string{
	"byte-order-mark":  "bytes of the file",
	"invalid-utf8":     "bytes of the file",
	"lone-surrogate":   "bytes of the file",
	"id-differs":       "the folder's name",
	"id-taken":         "the folder's name",
	"url-address":      "the sites",
	"url-no-site":      "the sites",
	"url-trailing-dot": "the sites",
	"url-unknown-host": "the sites",
	"url-broken":       "the syntax of URLs",
	"url-control":      "the syntax of URLs",
	"url-space-after":  "the syntax of URLs",
	"url-tab":          "the syntax of URLs",
	"url-escape":       "the syntax of URLs",
}

// What the schema refuses Load refuses, and the other way round where a schema
// can say it.
func TestSchemaAgreesWithLoad(t *testing.T) {
	s := compileSchema(t)
	fsys := os.DirFS("testdata/invalid")
	names, err := fs.Glob(fsys, "*/"+FileName)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			continue // no JSON at all
		}
		refused := s.Validate(doc) != nil
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
