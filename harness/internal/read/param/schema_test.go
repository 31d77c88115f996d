package param

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

func TestSchema(t *testing.T) {
	var schema jsonschema.Schema
	need.OK(t, json.Unmarshal(fixtures.ParamsSchema, &schema))
	s, err := schema.Resolve(nil)
	need.OK(t, err)
	validate := func(text string) error {
		var doc any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			return err
		}
		return s.Validate(doc)
	}
	for _, good := range []string{every, vectors} {
		if err := validate(good); err != nil {
			t.Errorf("%s\n%v", good, err)
		}
	}
	names, err := fs.Glob(fixtures.FS, "*/"+FileName)
	if err != nil || len(names) == 0 {
		t.Fatalf("files %v, %v", names, err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(fixtures.FS, name)
		need.OK(t, err)
		if err := validate(string(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The schema refuses all that does not depend on another part of the file.
	for _, f := range faulty {
		if err := validate(`{"values": {` + f.values + `}}`); (err == nil) != f.beyondSchema {
			t.Errorf("%s: %v", f.name, err)
		}
	}
}

// The schema has every rule, and each rule the keys that Read knows.
func TestSchemaHasTheRules(t *testing.T) {
	var s struct {
		Defs map[string]struct {
			Properties map[string]any
		} `json:"$defs"`
	}
	need.OK(t, json.Unmarshal(fixtures.ParamsSchema, &s))
	for _, rule := range rules {
		f := jsonfile.New("p", []byte(`{"values": {"a": {"`+rule+`": 0, "none": 0}}}`))
		Read(f, nil)
		i := slices.IndexFunc(f.Faults, func(f jsonfile.Fault) bool { return strings.HasPrefix(f.Msg, "unknown field") })
		if i < 0 {
			t.Fatalf("%s: %v", rule, f.Faults)
		}
		_, names, _ := strings.Cut(f.Faults[i].Msg, "allowed: ")
		names, _, _ = strings.Cut(names, ";")
		want := strings.Split(names, ", ")
		slices.Sort(want)
		var got []string
		for name := range s.Defs[rule].Properties {
			got = append(got, name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-Read +schema):\n%s", rule, diff)
		}
	}
}
