package suitecheck

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/internal/task"
	"github.com/openchrome/bench/harness/jsonfile"
	"github.com/openchrome/bench/harness/param"
)

// hasWord reports whether text contains word, and not only inside a longer word or number.
func hasWord(text, word string) bool {
	for from := 0; word != ""; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		first, _ := utf8.DecodeRuneInString(word)
		last, _ := utf8.DecodeLastRuneInString(word)
		if !(inWord(before) && inWord(first)) && !(inWord(after) && inWord(last)) {
			return true
		}
		from = begin + 1
	}
	return false
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// wantedValues returns the drawn values in the contract, in the order of task.json.
func wantedValues(s task.Spec) (out []string) {
	data, _ := fs.ReadFile(s.Source.FS, path.Join(s.Dir, task.FileName)) // the task was read from it
	var file struct {
		Success json.RawMessage `json:"success"`
	}
	json.Unmarshal(data, &file)
	for _, name := range param.In(string(file.Success)) {
		if v, ok := s.Values.Text(name); ok && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func checkLeak(ctx context.Context, p *proof) finding {
	var f finding
	used := "" // what the oracle is given, and sends
	data, _ := fs.ReadFile(p.task.Source.FS, path.Join(p.task.Dir, "transcript.jsonl"))
	for _, name := range param.In(string(data)) {
		v, _ := p.task.Values.Text(name)
		used += v + "\n"
	}
	var oracle played
	if len(p.oracle) > 0 {
		oracle = p.play(ctx, p.oracles(1)...)[0]
		for _, s := range oracle.steps[min(1, len(oracle.steps)):] {
			used += string(s.Args) + "\n"
		}
	}
	wanted := wantedValues(p.task)
	for _, v := range wanted {
		if hasWord(used, v) {
			continue
		}
		for where, text := range map[string]string{
			"the goal": p.task.Goal, "the start URL": p.task.StartURL, "the title": p.task.Title,
			"the name of a file of its pages": strings.Join(p.files(), "\n"),
		} {
			if hasWord(text, v) {
				f.problems = append(f.problems, fmt.Sprintf("%s has %s, which the contract wants", where, display.Quote(v)))
			}
		}
	}
	// The answer of a reading task is typed and not in the goal.
	for i, s := range oracle.steps[min(1, len(oracle.steps)):] {
		for _, n := range values(s.Args) {
			if n.Kind == jsonfile.String && typed(n) && !boolean(n.Text) && !hasWord(p.task.Goal, n.Text) && hasWord(oracle.steps[0].answer, n.Text) {
				f.problems = append(f.problems, fmt.Sprintf("opening the start URL answers %s, which line %d types and the goal does not say", display.Quote(n.Text), i+1))
			}
		}
	}
	slices.Sort(f.problems)
	f.count = fmt.Sprint(len(wanted))
	return f
}

// files returns the paths of the pages that show the task's values.
func (p *proof) files() (out []string) {
	for _, host := range p.task.Sites {
		out = append(out, p.stage.Sites.Files(host)...)
	}
	return out
}

// vague matches words that leave open what is wanted.
var vague = regexp.MustCompile(`(?i)\b(some|any suitable|appropriate|appropriately|suitable|recent|recently|several|various|relevant|reasonable|properly|as needed|if necessary|and so on|etc|soon|nearby|roughly|probably|maybe)\b`)

func checkGoal(ctx context.Context, p *proof) finding {
	o, why := p.passed(ctx)
	if why != "" {
		return finding{problems: []string{why}}
	}
	var f finding
	if word := vague.FindString(p.task.Goal); word != "" {
		f.problems = append(f.problems, fmt.Sprintf("the goal has the vague word %s", display.Quote(word)))
	}
	known := p.task.Goal + "\n" + o.steps[0].answer
	said := 0
	for i, s := range o.steps[1:] {
		for _, n := range values(s.Args) {
			switch {
			case p.oracle[i].Optional || presses(s.Args) || n.Kind != jsonfile.String || !typed(n) || boolean(n.Text):
			case !strings.Contains(known, n.Text):
				f.problems = append(f.problems, fmt.Sprintf("line %d types %s, which neither the goal nor an answer before it says", i+1, display.Quote(n.Text)))
			default:
				said++
			}
		}
		known += "\n" + s.answer
	}
	f.count = fmt.Sprint(said)
	return f
}

// leafFields returns the values of a field in all assertions of a contract.
func leafFields(c *contract.Contract, field string) (out []string) {
	for _, n := range values(c.Raw()) {
		if n.Key == field {
			out = append(out, n.Text)
		}
	}
	return out
}

// forbidsRequests reports whether the contract has a network assertion below a "not".
func forbidsRequests(c *contract.Contract) bool {
	for _, n := range values(c.Raw()) {
		if n.Key == "kind" && n.Text == "network" && strings.Contains(n.Pointer(), "/child/") {
			return true
		}
	}
	return false
}

var anyURL = regexp.MustCompile(`https?://[^\s"'<>]+[^\s"'<>.,;:!?)]`)

// urls returns the URLs that the goal, the contract and the oracle name, except the start
// URL.
func (p *proof) urls(ctx context.Context) (out []string) {
	start, err := url.Parse(p.task.StartURL)
	if err != nil {
		return nil
	}
	add := func(text string) {
		u, err := start.Parse(text)
		if err == nil && u.String() != start.String() && !slices.Contains(out, u.String()) {
			out = append(out, u.String())
		}
	}
	for _, text := range anyURL.FindAllString(p.task.Goal, -1) {
		add(text)
	}
	for _, field := range []string{"url_pattern", "pattern"} {
		for _, pattern := range leafFields(p.task.Success, field) {
			add(matching(pattern))
		}
	}
	if len(p.oracle) > 0 {
		for _, s := range p.play(ctx, p.oracles(1)...)[0].steps {
			for _, n := range values(s.Args) {
				if strings.HasPrefix(n.Text, "http://") || strings.HasPrefix(n.Text, "https://") {
					add(n.Text)
				}
			}
		}
	}
	return out
}

// matching returns a short text that a pattern matches, for example https://a.test/done for
// ^https://a\.test/done$. A text that is not a pattern stands for itself.
func matching(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return pattern
	}
	return shortest(re.Simplify())
}

func shortest(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		return string(re.Rune[0])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return shortest(re.Sub[0])
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(shortest(sub))
		}
		return b.String()
	}
	return "" // anchors, and what may be left out
}
