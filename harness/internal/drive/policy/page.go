package policy

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// item is a line of a page as the server shows it.
type item struct {
	ref, role, name, value string
	id                     string // in the document
	state                  string
	disabled, checked      bool
	indent, up             int // up is the line around it; -1: none
}

var (
	attribute = regexp.MustCompile(`([\w:-]+)="([^"]*)"`)
	isOff     = regexp.MustCompile(`\bdisabled\b`)
	isOn      = regexp.MustCompile(`\bchecked\b`)
	isChosen  = regexp.MustCompile(`\bselected\b`)
	dots      = regexp.MustCompile(`^[•*●]+$`)
)

// Kinds of roles.
var (
	texts   = []string{"textbox", "searchbox", "spinbutton", "combobox", "slider"}
	lists   = []string{"combobox", "listbox"}
	boxes   = []string{"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"}
	widgets = append([]string{"button", "link", "tab", "menuitem", "option", "treeitem", "listbox", "file"}, append(texts, boxes...)...)
	roots   = []string{"RootWebArea", "html", "head", "title", "document"}
)

// A policy reads at most so many lines that show something, and so many bytes of each line.
const (
	maxItems = 100_000
	maxLine  = 64 << 10
)

// parse returns the lines of an answer that show something of the page. It stops when ctx ends.
func parse(ctx context.Context, p server.Page, answer string) []item {
	var items []item
	for line := range strings.SplitSeq(answer, "\n") {
		if len(items) == maxItems || ctx.Err() != nil {
			break
		}
		line = line[:min(len(line), maxLine)]
		for _, re := range p.Lines {
			m := re.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if it := newItem(p, re, m); !slices.Contains(roots, it.role) {
				it.indent = len(line) - len(strings.TrimLeft(line, " "))
				items = append(items, it)
			}
			break
		}
	}
	inherit(ctx, items)
	label(ctx, items)
	return items
}

func newItem(p server.Page, re *regexp.Regexp, m []string) (it item) {
	group := func(name string) string {
		if i := re.SubexpIndex(name); i >= 0 {
			return m[i]
		}
		return ""
	}
	it.ref, it.role, it.state = group("ref"), cmp.Or(p.Roles[group("role")], group("role")), group("state")
	it.name, it.value = unquote(group("name")), unquote(group("value"))
	if p.Value != nil {
		if m := p.Value.FindStringSubmatch(it.state); m != nil {
			it.value = m[p.Value.SubexpIndex("value")]
		}
	}
	if tag := group("tag"); tag != "" {
		it.html(tag, group("attributes"))
	}
	switch it.role {
	case "Date", "DateTime", "InputTime", "ColorWell": // as Chromium calls them
		it.role = "textbox"
	case "DisclosureTriangle":
		it.role = "button"
	case "StaticText":
		it.role = ""
	}
	if it.name == "" && !it.isField() { // a text stands where a field has its value
		it.name, it.value = it.value, ""
	}
	it.disabled, it.checked = isOff.MatchString(it.state), isOn.MatchString(it.state)
	return it
}

// unquote removes the quotes of YAML, and the escapes of a quoted name.
func unquote(text string) string {
	text = half.ReplaceAllString(text, "\ufffd")
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		if plain, err := strconv.Unquote(text); err == nil {
			return plain
		}
	}
	return strings.TrimSpace(escapes.Replace(text))
}

var escapes = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// half is half a character, as YAML and JSON escape it. Elsewhere it is U+FFFD.
var half = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// html takes the role and the rest of an element that stands there as in HTML.
func (it *item) html(tag, attributes string) {
	has := make(map[string]string)
	for _, m := range attribute.FindAllStringSubmatch(attributes, -1) {
		has[m[1]] = m[2]
	}
	for _, state := range []string{"disabled", "checked", "selected"} {
		if _, ok := has[state]; ok {
			it.state += " " + state
		}
	}
	it.role, it.value, it.id = tag, has["value"], has["id"]
	switch tag {
	case "a":
		it.role = "link"
	case "summary":
		it.role = "button"
	case "select":
		it.role = "combobox"
	case "textarea":
		it.role, it.value, it.name = "textbox", it.name, ""
	case "input":
		it.role = map[string]string{"checkbox": "checkbox", "radio": "radio", "search": "searchbox", "number": "spinbutton", "range": "slider", "file": "file", "hidden": "hidden",
			"submit": "button", "button": "button", "reset": "button", "image": "button"}[has["type"]]
		switch it.role {
		case "":
			it.role = "textbox"
		case "button":
			it.name, it.value = has["value"], ""
		case "checkbox", "radio":
			it.value = ""
		}
	}
	if has["role"] != "" {
		it.role = has["role"]
	}
	for _, key := range []string{"aria-label", "alt", "placeholder", "title"} {
		if has[key] != "" && (key == "aria-label" || it.name == "") && tag != "label" {
			if key == "placeholder" || key == "title" { // a label goes before
				it.state += " " + key + "=" + has[key]
				continue
			}
			it.name = has[key]
		}
	}
}

func (it item) isField() bool {
	return slices.Contains(texts, it.role) || slices.Contains(lists, it.role) || slices.Contains(boxes, it.role)
}

func (it item) isBox() bool { return slices.Contains(boxes, it.role) }

// inherit gives names and values to what has none: a line without a text, and a label, has
// that of the lines inside it, and a list the chosen option. What is inside a disabled line is disabled.
func inherit(ctx context.Context, items []item) {
	inner := make([][]string, len(items))
	up := -1 // the line around
	for i := range items {
		if ctx.Err() != nil {
			return
		}
		it := &items[i]
		for up >= 0 && items[up].indent >= it.indent {
			up = items[up].up
		}
		it.up = up
		if up >= 0 && it.role == "" && slices.Contains(texts, items[up].role) && items[up].value == "" {
			items[up].value = it.name // Playwright MCP shows it there beside a placeholder
		}
		it.disabled = it.disabled || up >= 0 && items[up].disabled
		for a := up; a >= 0; a = items[a].up {
			around := &items[a]
			if slices.Contains(lists, around.role) {
				if it.role == "option" && around.value == "" && isChosen.MatchString(it.state) {
					around.value = it.name
				}
				break // an option names nothing around its list
			}
			if (around.name == "" || around.role == "label") && it.name != "" && !it.isField() && len(inner[a]) <= maxInner {
				inner[a] = append(inner[a], it.name)
			}
		}
		up = i
	}
	for i := range items {
		if it := &items[i]; len(inner[i]) > 0 && !it.isField() && len(inner[i]) <= maxInner {
			it.name = strings.TrimSpace(it.name + " " + strings.Join(inner[i], " "))
		}
	}
}

// maxInner bounds the lines whose text becomes the name of the line around them.
const maxInner = 8

// label gives fields without a name the text of a label: one around it; of a box the one behind it,
// of another field the one before it.
func label(ctx context.Context, items []item) {
	taken := make(map[int]bool)
	for i := range items {
		it := &items[i]
		if ctx.Err() != nil || it.name != "" || !it.isField() && it.role != "file" {
			continue
		}
		at := -1
		for j := it.up; j >= 0 && at < 0; j = items[j].up { // around it
			if items[j].role == "label" {
				at = j
			}
		}
		for j := i - 1; at < 0 && !it.isBox() && j >= 0 && !items[j].isField(); j-- {
			if items[j].role == "label" && !taken[j] {
				at = j
			}
		}
		for j := i + 1; at < 0 && it.isBox() && j < len(items) && !items[j].isField(); j++ {
			if items[j].role == "label" {
				at = j
			}
		}
		if at >= 0 {
			taken[at], it.name = true, items[at].name
			continue
		}
		for _, key := range []string{" placeholder=", " title="} {
			if _, text, ok := strings.Cut(it.state, key); ok && it.name == "" {
				it.name, _, _ = strings.Cut(text, " title=")
			}
		}
	}
}

// plain returns the texts of the page, one in each line.
func plain(items []item) string {
	var b strings.Builder
	for _, it := range items {
		for _, text := range []string{it.name, it.value} {
			if text != "" {
				b.WriteString(text + "\n")
			}
		}
	}
	return b.String()
}

// find returns the place of a target: the first with exactly this name, with a role that fits the
// verb, not disabled, and below the first line with after; one with a reference goes before one without.
// What is no control is a target only while no control has this name, not even a disabled one. Without loose the
// name must be exact; with it, one that begins with it, or contains it, will do. It returns -1 if
// there is none.
func find(items []item, in intent.Intent, name string, loose bool) int {
	at, _ := findOrOff(items, in, name, loose)
	return at
}

// findOrOff is find. off says that the target is there, and disabled.
func findOrOff(items []item, in intent.Intent, name string, loose bool) (at int, off bool) {
	from := 0
	if in.After != "" {
		same := func(it item) bool { return it.name == in.After || it.value == in.After }
		from = slices.IndexFunc(items, same)
		if from < 0 {
			from = slices.IndexFunc(items, func(it item) bool { return strings.Contains(it.name, in.After) || strings.Contains(it.value, in.After) })
		}
		for from >= 0 && from+1 < len(items) && items[from+1].indent > items[from].indent && same(items[from+1]) {
			from++ // the line has the text of the line inside it
		}
		if from++; from == 0 {
			return -1, false
		}
	}
	if in.Place != 0 {
		return atPlace(items, from-1, in.Place), false
	}
	name = fold(name)
	kind := kindOf(in.Verb)
	first := func(control bool, means func(string) bool) (at int, disabled bool) {
		at = -1
		for i := from; i < len(items); i++ {
			it := items[i]
			isControl := slices.Contains(widgets, it.role) && (kind == nil || slices.Contains(kind, it.role))
			switch {
			case isControl != control || in.Role != "" && it.role != in.Role || !means(fold(it.name)):
			case it.disabled:
				disabled = true
			case it.ref != "":
				for !control && i+1 < len(items) && items[i+1].up == i && items[i+1].ref != "" && means(fold(items[i+1].name)) {
					i++ // the line has its text from the one inside it
				}
				return i, disabled
			case at < 0:
				at = i
			}
		}
		return at, disabled
	}
	exact := func(n string) bool { return n == name }
	at, off = first(true, exact)
	if at < 0 && !off && kind == nil {
		at, off = first(false, exact)
	}
	if at < 0 && !off && loose {
		at, _ = first(true, func(n string) bool { return strings.HasPrefix(n, name) })
	}
	if at < 0 && !off && loose {
		at, _ = first(true, func(n string) bool { return strings.Contains(n, name) })
	}
	return at, off
}

// atPlace returns the place of the nth line without a name that a reference can press, after one line or, if n is
// negative, before it. It returns -1 if there is none up to the next name.
func atPlace(items []item, at, n int) int {
	step := 1
	if n < 0 {
		step, n = -1, -n
		for at > 0 && items[at].up == at-1 { // a line around the text begins with it
			at--
		}
	}
	for at += step; at >= 0 && at < len(items) && items[at].name == ""; at += step {
		if items[at].role != "" && items[at].ref != "" { // no white space
			n--
		}
		if n == 0 {
			return at
		}
	}
	return -1
}

// fold makes runs of white space one space.
func fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// kindOf returns the roles that a verb acts on; nil: any.
func kindOf(v intent.Verb) []string {
	switch v {
	case intent.Fill:
		return texts
	case intent.Choose:
		return lists
	case intent.Check, intent.Uncheck:
		return boxes
	}
	return nil
}

// holds reports whether a field holds what the intent wants.
func (it item) holds(in intent.Intent) bool {
	switch in.Verb {
	case intent.Check:
		return it.checked
	case intent.Uncheck:
		return !it.checked
	}
	got, want := fold(it.value), fold(in.Second)
	return got == want || dots.MatchString(got) && len([]rune(got)) == len([]rune(want))
}
