package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Recording is an episode that becomes a transcript. Its calls stay as they are, but a ref, a tab
// and a drawn value become placeholders, so that the transcript can be replayed with other ones.
type Recording struct {
	Steps  []adapter.Step // the first is step 0
	Tabs   []string       // the current tab before each step
	Values param.Values   // of the episode's seed
	Prefer []string       // paths of values that the task file uses
	Reads  func(adapter.Call) bool
}

type recorder struct {
	Recording
	drawn  []drawnText
	saves  []map[string]string // by step: the pattern of each name
	names  map[string]string   // of refs, by the step that lists them and the ref
	notes  []string
	faults []string
}

// drawnText is a value, and the placeholder that stands for it.
type drawnText struct{ text, mark string }

// Lines returns the lines of the transcript. notes are what a reader should look at. faults say
// what no placeholder can stand for, each with its step; the lines are then of no use.
func (r Recording) Lines() (lines, notes, faults []string) {
	rec := &recorder{Recording: r, saves: make([]map[string]string, len(r.Steps)), names: map[string]string{}}
	rec.values()
	args := make([]string, len(r.Steps))
	for n := 1; n < len(r.Steps); n++ {
		args[n] = rec.args(n)
	}
	for n := 1; n < len(r.Steps); n++ {
		step := r.Steps[n]
		if step.Result.Raw == nil && step.Result.RPCError == nil {
			rec.fault(n, "has no answer")
		}
		line := fmt.Sprintf(`{"tool": %s, "args": %s, "expect": {"isError": %t}`, quoted(step.Call.Tool), args[n], step.Result.IsError())
		if rec.saves[n] != nil {
			line += `, "save": ` + quoted(rec.saves[n])
		}
		if r.Reads(step.Call) {
			line += `, "optional": true`
		}
		lines = append(lines, line+"}")
	}
	return lines, rec.notes, rec.faults
}

func (r *recorder) fault(step int, format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf("step %d: ", step)+fmt.Sprintf(format, args...))
}

// quoted writes a value as JSON, without the escapes of HTML.
func quoted(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // encoding texts cannot fail
	return strings.TrimSpace(b.String())
}

// values lists the drawn texts, the longest first. Of several paths the task file's is taken.
func (r *recorder) values() {
	seen := map[string]bool{}
	paths := r.Values.Paths()
	slices.SortStableFunc(paths, func(a, b string) int {
		return cmp.Compare(slices.Index(r.Prefer, b), slices.Index(r.Prefer, a)) // -1 comes last
	})
	for _, path := range paths {
		if text, ok := r.Values.Text(path); ok && text != "" && !seen[text] {
			seen[text] = true
			r.drawn = append(r.drawn, drawnText{text, "{{param." + path + "}}"})
		}
	}
	slices.SortStableFunc(r.drawn, func(a, b drawnText) int { return len(b.text) - len(a.text) })
}

// minWord is how many characters a drawn value needs to be found within a text.
const minWord = 4

// marked replaces the drawn values in a text, and changes the rest by other.
func (r *recorder) marked(text string, other func(string) string) string {
	for _, d := range r.drawn {
		if d.text == text {
			return d.mark
		}
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); {
		d, ok := r.at(text, i)
		if !ok {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		b.WriteString(other(text[from:i]) + d.mark)
		i += len(d.text)
		from = i
	}
	return b.String() + other(text[from:])
}

// at returns the value that stands at i as a whole word.
func (r *recorder) at(text string, i int) (drawnText, bool) {
	inWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	for _, d := range r.drawn {
		if utf8.RuneCountInString(d.text) < minWord || !strings.HasPrefix(text[i:], d.text) {
			continue
		}
		first, _ := utf8.DecodeRuneInString(d.text)
		last, _ := utf8.DecodeLastRuneInString(d.text)
		after, _ := utf8.DecodeRuneInString(text[i+len(d.text):])
		if !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after)) {
			return d, true
		}
	}
	return drawnText{}, false
}

// The forms of refs and of ids of tabs.
var (
	refForm  = regexp.MustCompile(`^ref_\d+$`)
	nodeForm = regexp.MustCompile(`^\d+$`)
	tabForm  = regexp.MustCompile(`^[0-9A-F]{32}$`)
)

func (r *recorder) args(n int) string {
	raw := r.Steps[n].Call.Args
	if raw == nil {
		return "{}"
	}
	return rewrite(raw, func(key, text string, isKey bool) string {
		switch {
		case strings.Contains(text, "{{"):
			r.fault(n, "has a text in double braces, which would be a placeholder: %q", text)
		case isKey && text == "coordinate":
			r.notes = append(r.notes, fmt.Sprintf("step %d: names a place by its coordinates, which another page layout moves", n))
		case isKey:
		case text == r.Tabs[n] && text != "":
			return tabMark
		case tabForm.MatchString(text):
			r.fault(n, "names the tab %s, which is not the current one", text)
		case refForm.MatchString(text) || key == "ref" && nodeForm.MatchString(text):
			return r.ref(n, text)
		case path.Base(path.Dir(text)) == adapter.FilesDir:
			return "{{upload." + path.Base(text) + "}}"
		}
		return r.marked(text, func(s string) string { return s })
	})
}

// rewrite returns JSON with other strings: change gets each, and the name of its member.
func rewrite(raw json.RawMessage, change func(key, text string, isKey bool) string) string {
	f := jsonfile.Loose("arguments", raw)
	f.Edit = func(n *jsonfile.Node) (changes []jsonfile.Change) {
		var walk func(*jsonfile.Node, string)
		walk = func(n *jsonfile.Node, key string) {
			key = cmp.Or(n.Key, key)
			if changed := change(key, n.Key, true); changed != n.Key {
				changes = append(changes, jsonfile.Change{Node: n, Key: true, Text: changed})
			}
			if n.Kind == jsonfile.String {
				if changed := change(key, n.Text, false); changed != n.Text {
					changes = append(changes, jsonfile.Change{Node: n, Text: changed})
				}
			}
			for _, i := range n.Items {
				walk(i, key)
			}
		}
		walk(n, "")
		return changes
	}
	return f.Raw(f.Value())
}

// ref returns the placeholder of a ref: the text that the last answer before the step saves of the
// line that lists it.
func (r *recorder) ref(n int, ref string) string {
	for at := n - 1; at > 0; at-- {
		lines := strings.Split(r.Steps[at].Result.Text(), "\n")
		for i, line := range lines {
			if !strings.Contains(line, "["+ref+"]") {
				continue
			}
			id := fmt.Sprint(at, " ", ref)
			if name, ok := r.names[id]; ok {
				return "{{saved." + name + "}}"
			}
			pattern, ok := r.pattern(lines, i, ref)
			if !ok {
				r.fault(n, "nothing tells the line of %s in the answer of step %d from the others", ref, at)
				return ref
			}
			name := fmt.Sprint("r", len(r.names)+1)
			r.names[id] = name
			if r.saves[at] == nil {
				r.saves[at] = map[string]string{}
			}
			r.saves[at][name] = pattern
			return "{{saved." + name + "}}"
		}
	}
	r.fault(n, "no answer before it lists %s", ref)
	return ref
}

// passing finds where the part of a line begins that another run can change.
var passing = regexp.MustCompile(` ★| at \(| \(focused\)| value=| checked=| = "`)

// listedRef matches a ref in an answer.
var listedRef = regexp.MustCompile(`\[(?:ref_)?\d+\]`)

const anyRef = `\[(?:ref_)?\d+\]`

// pattern returns a pattern whose first match in the answer is the ref on a line. It holds as many
// of the lines before it as it needs.
func (r *recorder) pattern(lines []string, at int, ref string) (string, bool) {
	before, after, _ := strings.Cut(lines[at], "["+ref+"]")
	stays := func(line string) string {
		if cut := passing.FindStringIndex(line); cut != nil {
			line = line[:cut[0]]
		}
		return strings.TrimRight(line, " \t\r")
	}
	const group = `\[((?:ref_)?\d+)\]`
	after = stays(after)
	literal := group + regexp.QuoteMeta(after)
	pattern := group + r.marked(after, regexp.QuoteMeta)
	if head := strings.TrimSpace(before); head != "" {
		literal, pattern = regexp.QuoteMeta(head)+` ?`+literal, r.marked(head, regexp.QuoteMeta)+` ?`+pattern
	}
	answer := strings.Join(lines, "\n")
	for up := at; ; up-- {
		found := regexp.MustCompile(literal).FindStringSubmatch(answer)
		if after+before != "" && found != nil && found[1] == ref {
			return pattern, true
		}
		if up == 0 {
			return "", false
		}
		var line, marked string
		rest := strings.TrimSpace(stays(lines[up-1]))
		for {
			place := listedRef.FindStringIndex(rest)
			if place == nil {
				line, marked = line+regexp.QuoteMeta(rest), marked+r.marked(rest, regexp.QuoteMeta)
				break
			}
			line += regexp.QuoteMeta(rest[:place[0]]) + anyRef
			marked += r.marked(rest[:place[0]], regexp.QuoteMeta) + anyRef
			rest = rest[place[1]:]
		}
		literal, pattern = line+`[^\n]*\n\s*`+literal, marked+`[^\n]*\n\s*`+pattern
	}
}
