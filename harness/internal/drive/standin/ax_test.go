package standin

import (
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// Mode ax shows what fields hold, also what was typed, but not which boxes are checked.
func TestAccessibilityTree(t *testing.T) {
	s := start(t, Options{})
	s.call("navigate", args{"url": "http://shop.example/form"})
	tree := func() string { return s.call("read_page", args{"tabId": "TAB", "mode": "ax", "depth": 40}) }
	before := tree()
	need.Has(t, before,
		`] textbox: "Name"`+"\n", `] textbox: "Notes" = "old"`, `] combobox: "Plan" = "Free"`, `] option: "Free" (selected)`,
		`] radio: "Blue"`+"\n", `] button: "Submit"`, `] button: "Send" (disabled)`, `] StaticText: "Plan"`)
	name := regexp.MustCompile(`\[(ref_\d+)\] textbox: "Name"`).FindStringSubmatch(before)[1]
	if got := s.call("computer", args{"tabId": "TAB", "action": "triple_click", "ref": name}); strings.HasPrefix(got, "ERROR") {
		t.Fatal(got)
	}
	s.call("computer", args{"tabId": "TAB", "action": "type", "text": "Ada"})
	if after := tree(); !strings.Contains(after, `textbox: "Name" = "Ada"`) {
		t.Errorf("after typing:\n%s", after)
	}
	if got := s.call("computer", args{"tabId": "TAB", "action": "type", "text": "more"}); !strings.Contains(got, "not supported") {
		t.Errorf("typing at the end: %s", got)
	}
}
