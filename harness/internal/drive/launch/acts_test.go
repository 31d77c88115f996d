package launch

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// acting matches the names of tools that do something to a page.
var acting = regexp.MustCompile(`click|fill|type_|_type|press|drag|upload|hover|select_option|dialog|interact|form_input|navigate`)

// What the row of each pinned server says of its tools is what the server says.
func TestActsOfServers(t *testing.T) {
	set, err := web.Open()
	need.OK(t, err)
	ca, err := serve.NewCA(set.Hosts()...)
	need.OK(t, err)
	for _, described := range server.All() {
		t.Run(described.Title, func(t *testing.T) {
			o := LocalOptions{Server: described, Sites: set, CA: ca}
			if !described.IsPeer() {
				if o.Package = os.Getenv("OPENCHROME_DIST"); o.Package == "" {
					t.Skip("OPENCHROME_DIST names no OpenChrome")
				}
			} else {
				o.Package = filepath.Join(need.Peers(t), filepath.FromSlash(described.Start.Package))
			}
			l, err := NewLocal(t.Context(), o)
			need.OK(t, err)
			defer l.Close()
			s, err := l.Launch(t.Context())
			need.OK(t, err)
			defer s.Close()
			tools := map[string]schema{}
			if session.Has(s, "expand_tools") { // OpenChrome lists some only then
				need.OK(t, need.Err(s.Call(t.Context(), adapter.Call{Tool: "expand_tools", Args: []byte(`{"tier":"3"}`)})))
			}
			for _, tool := range s.Listed(t.Context()) {
				tools[tool.Name] = schemaOf(t, tool)
				_, ok := described.Tools[tool.Name]
				ok = ok || slices.ContainsFunc(slices.Collect(maps.Keys(described.Tools)), func(name string) bool { return strings.HasPrefix(name, tool.Name+" ") })
				if !ok && acting.MatchString(tool.Name) {
					t.Errorf("the description does not say what %s does", tool.Name)
				}
			}
			for name, act := range described.Tools {
				tool, action, _ := strings.Cut(name, " ")
				schema, ok := tools[tool]
				if !ok {
					t.Errorf("there is no %s", tool)
					continue
				}
				if action != "" && !slices.Contains(schema.Properties["action"].Enum, action) {
					t.Errorf("%s has no action %s, but %q", tool, action, schema.Properties["action"].Enum)
				}
				if has := slices.Sorted(maps.Keys(schema.Properties)); act.Args != nil && strings.Join(has, " ") != strings.ReplaceAll(strings.Join(slices.Sorted(slices.Values(act.Args)), " "), "!", "") {
					t.Errorf("%s has the arguments %q, not %q", name, has, act.Args)
				}
				inner := schema
				if act.Fields != "" && schema.Properties[act.Fields].Items != nil {
					inner = *schema.Properties[act.Fields].Items
				}
				for _, arg := range []string{act.Query, act.Ref, act.Point, act.Value} {
					if _, ok := inner.Properties[arg]; arg != "" && !ok {
						t.Errorf("%s has no argument %s", name, arg)
					}
				}
				for _, arg := range []string{act.Fields, act.Submit} {
					if _, ok := schema.Properties[arg]; arg != "" && !ok {
						t.Errorf("%s has no argument %s", name, arg)
					}
				}
			}
		})
	}
}

// schema is a part of a JSON Schema.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Enum       []string          `json:"enum"`
}

func schemaOf(t *testing.T, tool adapter.Tool) (s schema) {
	t.Helper()
	var raw struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(tool.InputSchema, &raw); err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	s.Properties = map[string]schema{}
	for name, property := range raw.Properties {
		var p schema
		json.Unmarshal(property, &p) // an enum may hold numbers
		s.Properties[name] = p
	}
	return s
}
