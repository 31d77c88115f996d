package suitecheck

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/suitecheck/args"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web/route"
)

// hasWord reports whether text contains word outside of longer words and numbers. A word of one
// or two characters, such as the value of an option, is not found in "I'm" or an address either.
func hasWord(text, word string) bool {
	for from := 0; word != ""; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(word)
		before, size := utf8.DecodeLastRuneInString(text[:begin])
		after, length := utf8.DecodeRuneInString(text[end:])
		if utf8.RuneCountInString(word) <= 2 {
			if strings.ContainsRune(joiners, before) {
				before, _ = utf8.DecodeLastRuneInString(text[:begin-size])
			}
			if strings.ContainsRune(joiners, after) {
				after, _ = utf8.DecodeRuneInString(text[end+length:])
			}
		}
		first, _ := utf8.DecodeRuneInString(word)
		last, _ := utf8.DecodeLastRuneInString(word)
		if !(inWord(before) && inWord(first)) && !(inWord(after) && inWord(last)) {
			return true
		}
		from = begin + 1
	}
	return false
}

// joiners stand between the parts of a longer word or of an address.
const joiners = "'’-_./?=&"

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// wantedValues returns the drawn values in the contract, in the order of task.json.
func wantedValues(s task.Spec) (out []string) {
	var file struct {
		Success json.RawMessage `json:"success"`
	}
	json.Unmarshal([]byte(s.Folder.File(task.FileName, "").Content()), &file)
	for _, name := range param.Paths(string(file.Success)) {
		if v, ok := s.Values.Text(name); ok && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func checkLeak(p *proof, oracle played, _ []played) (f finding) {
	used := "" // the drawn values in the transcript, and the arguments that were sent
	for _, name := range param.Paths(p.task.Folder.File(transcript.OracleFile, "").Content()) {
		v, _ := p.task.Values.Text(name)
		used += v + "\n"
	}
	var start string // the answer to opening the start URL
	var steps []step // without step 0
	if all := oracle.steps; len(all) > 0 {
		start, steps = all[0].answer, all[1:]
	}
	for _, s := range steps {
		used += string(s.Args) + "\n"
	}
	wanted := wantedValues(p.task.Spec)
	for _, v := range wanted {
		if hasWord(used, v) {
			continue
		}
		for where, text := range map[string]string{
			"the goal": p.task.Goal, "the start URL": p.task.StartURL, "the title": p.task.Title,
		} {
			if hasWord(text, v) {
				f.problem("%s has %s, which the contract wants", where, display.Quote(v))
			}
		}
	}
	// A value that must be read is typed, and it is not in the goal.
	for i, s := range steps {
		for _, n := range args.Values(s.Args) {
			if args.TypedText(p.tool(s.Call), n) && !hasWord(p.task.Goal, n.Text) && hasWord(start, n.Text) {
				f.problem("line %d types %s, which the goal does not say and the answer to opening the start URL has",
					i+1, display.Quote(n.Text))
			}
		}
	}
	slices.Sort(f.problems)
	f.detail = fmt.Sprint(len(wanted))
	return f
}

// vague matches words that leave open what is wanted.
var vague = regexp.MustCompile(`(?i)\b(some|any suitable|appropriate|appropriately|suitable|recent|recently|several|various|relevant|reasonable|properly|as needed|if necessary|and so on|etc|soon|nearby|roughly|probably|maybe)\b`)

// quoted matches a text that the goal only cites.
var quoted = regexp.MustCompile(`"[^"]*"`)

func vagueWord(goal string) string { return vague.FindString(quoted.ReplaceAllString(goal, "")) }

func checkGoal(p *proof, o played, _ []played) (f finding) {
	if word := vagueWord(p.task.Goal); word != "" {
		f.problem("the goal has the vague word %s", display.Quote(word))
	}
	known := p.task.Goal + "\n" + o.steps[0].answer
	said := 0
	for i, s := range o.steps[1:] {
		look := func(verb, v string) {
			if strings.Contains(known, v) {
				said++
			} else {
				f.problem("line %d %s %s, which neither the goal nor an answer before it says", i+1, verb, display.Quote(v))
			}
		}
		for _, v := range p.choices(p.oracle[i]) {
			look("looks for", v)
		}
		for _, n := range args.Values(s.Args) {
			if !p.oracle[i].Optional && args.TypedText(p.tool(s.Call), n) {
				look("types", n.Text)
			}
		}
		known += "\n" + s.answer
	}
	f.unsign(p.signed.Unsaid)
	f.detail = fmt.Sprint(said)
	return f
}

func (p *proof) tool(c adapter.Call) server.Tool {
	tool, _ := p.server().ToolOf(c)
	return tool
}

// choices returns the drawn values by which a line chooses an element, or a text to save.
func (p *proof) choices(l transcript.Line) (out []string) {
	name, number, _ := strings.Cut(l.Expect.At, ":")
	at, _ := strconv.Atoi(number)
	line := strings.Split(p.task.Folder.File(name, "").Content(), "\n")[at-1]
	tool := p.tool(adapter.Call{Tool: l.Tool})
	for _, n := range args.Values(json.RawMessage(line)) {
		if use := args.UseOf(tool, n); use != args.Query && use != args.Ref && !strings.HasPrefix(n.Pointer(), "/save/") {
			continue
		}
		for _, name := range param.Paths(n.Text) {
			if v, ok := p.task.Values.Text(name); ok {
				out = append(out, v)
			}
		}
	}
	return out
}

// receipt matches the pattern of a receipt or a download in the log of requests, which no page can make. The pattern
// begins with the host, or /?x=/.end/ of any page would match it too, and has no other branch.
var receipt = regexp.MustCompile(`^\^https?\??://[^/|*+{]+/\\?\.(end|got)/[^|]*$`)

func checkReceipt(p *proof, _ played, _ []played) (f finding) {
	contract := p.task.Success.Raw()
	for _, n := range args.Values(contract) {
		if n.Key == "url_pattern" && !receipt.MatchString(n.Text) {
			f.problem("it asks for %s", display.Quote(n.Text))
		}
	}
	if !wantsReceipt(jsonfile.Loose("contract", contract).Value()) {
		f.problem("it can hold without a receipt")
	}
	return f
}

// wantsReceipt reports whether a contract can hold only with a receipt.
func wantsReceipt(n *jsonfile.Node) bool {
	switch n.Get("kind").Text {
	case "network":
		return receipt.MatchString(n.Get("url_pattern").Text)
	case "and":
		return slices.ContainsFunc(n.Get("children").Items, wantsReceipt)
	case "or":
		return !slices.ContainsFunc(n.Get("children").Items, func(n *jsonfile.Node) bool { return !wantsReceipt(n) })
	}
	return false
}

func (p *proof) marksWrong() bool {
	hosts := slices.Clone(p.task.Sites)
	if start, err := url.Parse(p.task.StartURL); err == nil {
		hosts = append(hosts, start.Hostname())
	}
	return slices.ContainsFunc(hosts, func(host string) bool {
		var routes []struct{ Wrong string }
		json.Unmarshal(p.stage.Sites.Source(host)[route.RoutesFile], &routes) // it is valid, else nothing runs
		return slices.ContainsFunc(routes, func(r struct{ Wrong string }) bool { return r.Wrong != "" })
	})
}

var anyURL = regexp.MustCompile(`https?://[^\s"'<>]+[^\s"'<>.,;:!?)]`)

// urls returns the URLs in the goal and the oracle, without the start URL.
func (p *proof) urls(oracle played) []string {
	out := anyURL.FindAllString(p.task.Goal, -1)
	for _, s := range oracle.steps {
		for _, n := range args.Values(s.Args) {
			if strings.HasPrefix(n.Text, "http://") || strings.HasPrefix(n.Text, "https://") {
				out = append(out, n.Text)
			}
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(u string) bool { return u == p.task.StartURL })
}
