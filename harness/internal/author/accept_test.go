package author

import (
	"strings"
	"testing"
)

func TestTelling(t *testing.T) {
	const found = "Found 2 elements matching \"send\":\n\n[ref_1] button: \"Send claim\" at (8, 231) ★★\n[ref_2] form: \"Send\" at (0, 0) ★"
	for _, row := range []struct {
		name, answer, seen string
		drawn              []string
		want               string
	}{
		{"a click", "✓ Clicked button \"Send\" [ref_3]\n\n[Page navigated: https://a.test/]", "", nil, "✓ Clicked button \"Send"},
		{"a click by ref", "Clicked element ref_7 at (39, 241)\n[Page State] url: x", "", nil, "Clicked element"},
		{"a form", "✓ Filled 2 fields, submitted\n  Name: \"Ada\" → ✓", "", nil, "✓ Filled 2 fields, submitted"},
		{"found", found, "", nil, "button: \"Send claim"},
		{"found before", found, found, nil, "button: \"Send claim"},
		{"the second is new", found, "[ref_9] button: \"Send claim\"", nil, "form: \"Send"},
		{"a page", "[page_stats] url: https://a.test/ | title: T | scroll: 0,0 | viewport: 1x1\n\n[3]<html/>\n  [8]<body/>\n    [9]<h1/>Departures\n", "", nil, "<h1/>Departures"},
		{"a page with a header", "[8]<body/>\n  [9]<a href=\"/\"/>Millbrook Library\n  [11]<h1/>Contact us\n", "", nil, "<h1/>Contact us"},
		{"a page seen before", "[page_stats] url: x\n\n[3]<html/>\n  [9]<h1/>Departures\n  [11]<p/>Today\n", "[4]<h1/>Departures", nil, "<p/>Today"},
		{"a drawn value", "Set value to \"12.50\"", "", []string{"12.50"}, ""},
		{"a tab", "{\"tabId\":\"55D204C83A89332D6F1694E6F5844B05\"}", "", nil, ""},
		{"numbers only", "12", "", nil, ""},
		{"a long text", strings.Repeat("word ", 30), "", nil, strings.TrimSpace(strings.Repeat("word ", 12))},
		{"empty", "", "", nil, ""},
	} {
		got := telling(row.answer, row.seen, row.drawn)
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
		if !strings.Contains(row.answer, got) {
			t.Errorf("%s: the answer does not contain %q", row.name, got)
		}
	}
}

func TestWithExpect(t *testing.T) {
	e := expectation{IsError: true, Contains: []string{`<a & "b">`}}
	const want = `"expect": {"isError": true, "contains": ["<a & \"b\">"]}`
	for line, expected := range map[string]string{
		`{"tool": "find", "args": {}}` + "\n":                               `{"tool": "find", "args": {}, ` + want + "}\n",
		`{"tool":"find","args":{} }`:                                        `{"tool":"find","args":{}, ` + want + "}",
		`{"tool": "find", "expect": {"isError": false}, "args": {}}` + "\n": `{"tool": "find", ` + want + `, "args": {}}` + "\n",
	} {
		if got := withExpect(line, e); got != expected {
			t.Errorf("%s: %s, want %s", line, got, expected)
		}
	}
}
