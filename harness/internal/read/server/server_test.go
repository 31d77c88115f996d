package server_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/servers"
)

const least = `{"name": "toy", "title": "Toy", "reviewer": "not reviewed", "cites": ["https://toy.test/"],
"page": {"call": {"tool": "see", "args": {}}, "lines": ["^(?P<ref>\\d+) (?P<role>\\w+) (?P<name>.*)$"]},
"calls": {"go": [{"tool": "hit", "args": {"n": "{{int ref}}", "note": "{{name}} {{json text}}"}}]},
"policies": {"ref": {}}, "tools": {"see": {"does": "reads", "also": ["look"]}}}`

// A fault names the file, the place and the field.
func TestFaults(t *testing.T) {
	need.Cases(t, "faults", func(_ *testing.T, files map[string]string) string {
		f := jsonfile.New("toy.json", []byte(strings.Replace(least, files["old"], files["new"], 1)))
		server.Read(f)
		return fmt.Sprint(f.Faults.Err())
	})
}

// Each known description without one of its fields is read, or has a fault that names the file and the
// field; and what is read can be used.
func TestMissingFields(t *testing.T) {
	for _, name := range server.Names() {
		data, err := fs.ReadFile(servers.FS, name+".json")
		need.OK(t, err)
		var whole map[string]json.RawMessage
		need.OK(t, json.Unmarshal(data, &whole))
		without := func(fields map[string]json.RawMessage, key string, encode func(json.RawMessage) json.RawMessage) {
			rest := make(map[string]json.RawMessage)
			for k, v := range fields {
				if k != key {
					rest[k] = v
				}
			}
			part, _ := json.Marshal(rest)
			f := jsonfile.New("servers/"+name+".json", encode(part))
			s := server.Read(f)
			if err := f.Faults.Err(); err != nil {
				if !strings.HasPrefix(err.Error(), "servers/"+name+".json:1:") || !strings.Contains(err.Error(), key) && !strings.Contains(err.Error(), "port") {
					t.Errorf("without %s: %v", key, err)
				}
				return
			}
			use(s)
		}
		for key := range whole {
			without(whole, key, func(raw json.RawMessage) json.RawMessage { return raw })
			var part map[string]json.RawMessage
			if json.Unmarshal(whole[key], &part) != nil {
				continue
			}
			for inner := range part {
				without(part, inner, func(raw json.RawMessage) json.RawMessage {
					all := make(map[string]json.RawMessage)
					for k, v := range whole {
						all[k] = v
					}
					all[key] = raw
					data, _ := json.Marshal(all)
					return data
				})
			}
		}
	}
}

// use asks a description for everything that does not need a page.
func use(s *server.Server) {
	s.Opening("https://x.test/")
	s.CurrentTab("- 1: x")
	s.ToolOf(adapter.Call{Tool: "x"})
	s.Listed("x", nil)
	if s.Start != nil {
		s.Start.Arguments("1")
		s.Start.Environ("d", "h")
	}
}

// Each known server is whole: what is optional for a stranger is there.
func TestKnown(t *testing.T) {
	for _, s := range server.All() {
		if s.Start == nil || s.WarmUp == nil || s.Version == "" || s.Called == "" || s.Answers.Refs == nil || s.Tools == nil {
			t.Errorf("%s: something is missing: %+v", s.Name, s)
		}
		if s.IsPeer() && (s.Start.Pinned != s.Version || s.Tabs.Current == nil && s.Tabs.Argument == "") {
			t.Errorf("%s is not pinned to %s, or does not tell its tabs", s.Name, s.Version)
		}
		if args := strings.Join(s.Start.Arguments("4711"), " "); !strings.Contains(args, "4711") {
			t.Errorf("%s: the port is not in the arguments %s", s.Name, args)
		}
		if call := s.Opening("https://x.test/"); !strings.Contains(string(call.Args), "https://x.test/") {
			t.Errorf("%s: the URL is not in %s", s.Name, call.Args)
		}
		for _, c := range []*server.Call{s.WarmUp, &s.Page.Call} {
			if _, ok := s.ToolOf(adapter.Call{Tool: c.Tool}); c != nil && !ok {
				t.Errorf("%s does not say what %s does", s.Name, c.Tool)
			}
		}
	}
	need.Is(t, "Playwright is called", "Playwright MCP", server.Title("Playwright"))
}

// Another way to call a known server differs from its description in nothing but the calls.
func TestWays(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "servers", "ways", "*.json"))
	need.OK(t, err)
	if len(files) == 0 {
		t.Error("there are none")
	}
	for _, file := range files {
		_, err := server.Open(file)
		need.OK(t, err)
		var way, known map[string]json.RawMessage
		need.OK(t, json.Unmarshal([]byte(need.Read(t, file)), &way))
		for _, name := range server.Names() {
			if strings.HasPrefix(filepath.Base(file), name+"-") {
				need.OK(t, json.Unmarshal(server.Named(name).Source, &known))
			}
		}
		var differs []string
		for key := range known {
			if string(way[key]) != string(known[key]) {
				differs = append(differs, key)
			}
		}
		slices.Sort(differs)
		need.Equal(t, file, []string{"$schema", "cites", "name", "policies", "repositories", "title"}, differs)
	}
}

// The name of a tool is the one that the server lists.
func TestOtherNames(t *testing.T) {
	s := server.OpenChrome()
	list := func(names ...string) (tools []adapter.Tool) {
		for _, name := range names {
			tools = append(tools, adapter.Tool{Name: name})
		}
		return tools
	}
	for _, test := range []struct{ listed, want string }{
		{"tabs_context", "tabs_context"}, {"tabs_context_mcp", "tabs_context_mcp"}, {"tabs_context_mcp tabs_context", "tabs_context"}, {"other", "tabs_context"},
	} {
		if got := s.Listed("tabs_context", list(strings.Fields(test.listed)...)); got != test.want {
			t.Errorf("with %s it is %s, want %s", test.listed, got, test.want)
		}
	}
	if got, ok := s.ToolOf(adapter.Call{Tool: "tabs_create_mcp"}); !ok || got.Does != server.Opens {
		t.Errorf("another name does %q", got.Does)
	}
}

// comments returns the comments of the fields of the package's types, by type and field.
func comments(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := make(map[string]map[string]string)
	for _, name := range []string{"server.go", "call.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		need.OK(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			of, _ := n.(*ast.TypeSpec)
			if of == nil {
				return true
			}
			fields, _ := of.Type.(*ast.StructType)
			if fields == nil {
				return false
			}
			all[of.Name.Name] = make(map[string]string)
			for _, field := range fields.Fields.List {
				text := strings.Join(strings.Fields(field.Doc.Text()+" "+field.Comment.Text()), " ")
				all[of.Name.Name][field.Names[0].Name] = text
			}
			return false
		})
	}
	return all
}

// describe gives the schema of a type the comments of its fields.
func describe(s *jsonschema.Schema, of reflect.Type, comments map[string]map[string]string) {
	for s != nil && (of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map) {
		switch of.Kind() {
		case reflect.Slice:
			s = s.Items
		case reflect.Map:
			s = s.AdditionalProperties
		}
		of = of.Elem()
	}
	if s == nil || comments[of.Name()] == nil {
		return
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if part := s.Properties[name]; part != nil {
			part.Description = comments[of.Name()][field.Name]
			describe(part, field.Type, comments)
		}
	}
}

// The schema is what the Go types say, and the descriptions are valid by it.
func TestSchema(t *testing.T) {
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[regexp.Regexp]():   {Type: "string", Format: "regex"},
		reflect.TypeFor[server.Lines]():    {Type: "array", Items: &jsonschema.Schema{Type: "string", Format: "regex"}},
		reflect.TypeFor[server.Template](): {Type: "object"},
	}}
	s, err := jsonschema.For[server.Server](options)
	need.OK(t, err)
	describe(s, reflect.TypeFor[server.Server](), comments(t))
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "the description of a server for openchrome-bench"
	got, err := json.MarshalIndent(s, "", "  ")
	need.OK(t, err)
	got = append(got, '\n')
	name := filepath.Join("..", "..", "..", "..", "servers", servers.Schema)
	if *need.Update {
		need.OK(t, os.WriteFile(name, got, 0o644))
	}
	want := need.Read(t, name)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the Go types say; run with -update (-want +got):\n%s", name, diff)
	}
	valid, err := s.Resolve(nil)
	need.OK(t, err)
	for _, name := range server.Names() {
		data, err := fs.ReadFile(servers.FS, name+".json")
		need.OK(t, err)
		var v any
		need.OK(t, json.Unmarshal(data, &v))
		if err := valid.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !slices.Contains(s.Required, "page") {
		t.Errorf("required are %v", s.Required)
	}
}
