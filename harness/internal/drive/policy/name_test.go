package policy

import (
	"fmt"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
)

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		`"a \"b\""`:         `a "b"`,
		`a \"b\"`:           `a "b"`,
		`Carrots \ud83c…`:   "Carrots \ufffd…",
		`"Carrots \ud83c…"`: "Carrots \ufffd…",
	} {
		need.Is(t, fmt.Sprintf("unquote(%s)", text), want, unquote(text))
	}
	for key, want := range map[string]string{
		"Enter":      "Enter",
		"home":       "Home",
		"shift+down": "Shift+ArrowDown",
		"Control+a":  "Control+a",
	} {
		need.Is(t, fmt.Sprintf("keyName(%s)", key), want, keyName(key))
	}
}

func TestAfterItself(t *testing.T) {
	items := []item{{role: "listitem", name: "Peas", ref: "1"}, {role: "link", name: "Peas", ref: "2", indent: 2}, {role: "listitem", name: "Peas", ref: "3"}, {role: "link", name: "Peas", ref: "4", indent: 2}}
	if at := find(items, intent.Intent{Verb: intent.Press, After: "Peas"}, "Peas", false); at != 3 {
		t.Errorf("the second link of two with this name is at %d, want 3", at)
	}
}

// The value of a field may stand on a line inside it, beside its placeholder.
func TestValueInside(t *testing.T) {
	p := server.Named("playwright-mcp")
	items := parse(t.Context(), p.Page, "- textbox \"From\" [active] [ref=e12]:\n  - /placeholder: Port\n  - text: Garvick\n- text: Aside\n- textbox \"To\" [ref=e13]:\n  - /placeholder: Port")
	if items[0].value != "Garvick" || items[len(items)-1].value != "" {
		t.Errorf("the fields hold %q and %q", items[0].value, items[len(items)-1].value)
	}
}
