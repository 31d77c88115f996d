package html

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// chunk holds the details of some episodes that follow each other. Texts, and trees of
// contracts, stand in it once: most repetitions of a task are equal. Numbers stand for
// texts; 0 is the empty one.
type chunk struct {
	Texts    []string `json:"texts"`
	Trees    []node   `json:"trees"`
	Episodes []detail `json:"episodes"`
}

type detail struct {
	Story          [][2]int        `json:"story,omitempty"`  // see [explain.Story]
	Untold         int             `json:"untold,omitempty"` // why it is not known what the pages got
	URL            int             `json:"url,omitempty"`
	Calls          []call          `json:"calls,omitempty"`
	ChangedAnswers []changedAnswer `json:"drifts,omitempty"`
	Tree           int             `json:"tree,omitempty"` // from 1; 0: the contract was not judged
	Failed         int             `json:"failed,omitempty"`
	Preview        int             `json:"preview,omitempty"` // text that the failed assertion looked at
	Ended          int             `json:"ended,omitempty"`
	Earlier        int             `json:"earlier,omitempty"` // attempts
	Server         int             `json:"server,omitempty"`
	Waited         int             `json:"waited,omitempty"`
	Page           *page           `json:"page,omitempty"`
	NoPage         int             `json:"noPage,omitempty"`
	Stalls         int             `json:"stalls,omitempty"`
	Commands       []int           `json:"commands,omitempty"`
}

type call struct {
	Step         int      `json:"step,omitempty"`
	Tool         int      `json:"tool"`
	Ms           float64  `json:"ms"`
	Args         int      `json:"args,omitempty"`
	Answer       int      `json:"answer,omitempty"`
	Failure      int      `json:"failure,omitempty"`
	Hint         int      `json:"hint,omitempty"`
	HintText     int      `json:"hintText,omitempty"`
	ArgTokens    int      `json:"argTokens,omitempty"`
	AnswerTokens int      `json:"answerTokens,omitempty"`
	Error        bool     `json:"error,omitempty"`
	Omitted      bool     `json:"omitted,omitempty"`
	Wrong        int      `json:"wrong,omitempty"`    // why this step is the one to look at
	Did          int      `json:"did,omitempty"`      // see [explain.Did]
	Untrue       bool     `json:"untrue,omitempty"`   // a false success, or an unreported side effect
	Other        bool     `json:"other,omitempty"`    // the answer says so, but the page got something else than asked
	Parts        [][3]int `json:"parts,omitempty"`    // what was asked for, what the page got, and 1 if the answer says something else
	Heard        []int    `json:"heard,omitempty"`    // events of the pages
	Changed      [][3]int `json:"changed,omitempty"`  // fields: name, value before, value after
	Requests     [][2]int `json:"requests,omitempty"` // and their bodies
	Unmet        [][3]int `json:"unmet,omitempty"`    // conditions: name, wanted, what came
	Shot         string   `json:"shot,omitempty"`     // as in page: the screenshot after the step
	File         string   `json:"file,omitempty"`
}

type changedAnswer struct {
	Step     int `json:"step,omitempty"`
	Tool     int `json:"tool,omitempty"`
	Expected int `json:"expected"`
	Actual   int `json:"actual"`
	At       int `json:"at,omitempty"`
}

type node struct {
	Kind     int    `json:"kind,omitempty"`
	Path     int    `json:"path,omitempty"`
	Verdict  int    `json:"verdict,omitempty"`
	Would    int    `json:"would,omitempty"`
	Expected int    `json:"expected,omitempty"`
	Observed int    `json:"observed,omitempty"`
	Note     int    `json:"note,omitempty"`
	Children []node `json:"children,omitempty"`
}

const (
	// maxDetails bounds the packed details, so that the whole file is at most 5 MB without
	// screenshots. The list of 10,000 episodes needs some of it.
	maxDetails = 4_400_000
	// A chunk has at most this many episodes, and is full when it has this many bytes of
	// text. A browser unpacks it when somebody opens one of its episodes.
	maxChunk     = 256
	maxChunkText = 1 << 20
)

// writeDetails writes the details of the episodes in chunks, as long as there is room. It
// returns where chunks begin and how many episodes have no details.
func writeDetails(w *bufio.Writer, r *report.Report, order []int, kept *kept) (starts []int, left leftOut, err error) {
	room := maxDetails
	begin := 0
	for begin < len(order) {
		c := newChunker(r, kept)
		end := begin
		for end < len(order) && end-begin < maxChunk && c.size < maxChunkText {
			c.add(r.Episodes.At(order[end]))
			end++
		}
		c.chunk.Texts = c.texts.texts
		packed, err := pack(c.chunk)
		if err != nil {
			return nil, left, err
		}
		if room -= len(packed); room < 0 {
			break
		}
		if err := raw(w, fmt.Sprintf("chunk-%d", len(starts)), packed); err != nil {
			return nil, left, err
		}
		starts = append(starts, begin)
		begin = end
		if err := kept.writeShots(w); err != nil {
			return nil, left, err
		}
	}
	for _, i := range order[begin:] {
		if r.Episodes.At(i).Status.Class() == record.Pass {
			left.Passed++
		} else {
			left.Others++
		}
	}
	return append(starts, begin), left, nil
}

type chunker struct {
	chunk chunk
	run   *report.Report
	kept  *kept
	texts *places
	size  int // of the texts, in bytes
	trees map[*judge.Node]int
}

func newChunker(r *report.Report, kept *kept) *chunker {
	c := &chunker{run: r, kept: kept, trees: map[*judge.Node]int{}}
	c.texts = newPlaces(func(s string) string {
		s = lines(s)
		c.size += len(s)
		return s
	})
	return c
}

func (c *chunker) text(s string) int { return c.texts.of(s) }

func (c *chunker) add(e *report.Episode) {
	d := detail{
		URL: c.text(e.FinalURL), Ended: c.text(e.ServerEnded), Earlier: c.text(strings.Join(e.Earlier(), "\n")), Server: c.text(e.ServerFacts), Waited: c.text(e.Waited.Words()), NoPage: c.text(e.PageMissing),
		Stalls: e.NoProgressEpisodes, Untold: c.text(explain.Untold(e)), Calls: make([]call, len(e.Calls)),
	}
	for _, line := range explain.Story(e) {
		d.Story = append(d.Story, [2]int{c.text(line[0]), c.text(line[1])})
	}
	wrong, why := explain.WrongStep(e)
	for i := range e.Calls {
		a := &e.Calls[i]
		d.Calls[i] = call{
			Step: a.Step, Tool: c.text(a.Tool), Ms: math.Round(1000*a.DurationMs) / 1000, Args: c.text(a.Args), Answer: c.text(a.Answer),
			Failure: c.text(a.Failure), Hint: c.text(a.Hint), HintText: c.text(a.HintText),
			ArgTokens: a.ArgTokens, AnswerTokens: a.AnswerTokens, Error: a.Error, Omitted: a.Omitted, Did: c.text(explain.Did(a)), Untrue: a.Untrue(),
			Other: !a.Untrue() && slices.ContainsFunc(a.Parts, explain.IsOther),
		}
		if a == wrong && !e.Success {
			d.Calls[i].Wrong = c.text(why)
		}
		c.step(&d.Calls[i], e, a)
	}
	for _, x := range e.ChangedAnswers {
		d.ChangedAnswers = append(d.ChangedAnswers,
			changedAnswer{x.Step, c.text(x.Tool), c.text(x.Expected), c.text(x.Actual), c.text(x.At)})
	}
	if tree := e.Tree; tree != nil || e.Explanation != nil {
		if tree == nil {
			tree = e.Explanation
		}
		n, ok := c.trees[tree]
		if !ok {
			c.chunk.Trees = append(c.chunk.Trees, c.node(*tree))
			n = len(c.chunk.Trees)
			c.trees[tree] = n
		}
		d.Tree = n
	}
	if f := e.FailedContract; f != nil {
		d.Failed = c.text(f.Path)
		if f.TextPreview != nil {
			d.Preview = c.text(*f.TextPreview)
		}
	}
	for _, s := range commands(c.run, e) {
		d.Commands = append(d.Commands, c.text(s))
	}
	d.Page = c.kept.page(e, d.Calls, c.text)
	c.chunk.Episodes = append(c.chunk.Episodes, d)
}

// step adds what the pages got in a step, beside what the server said.
func (c *chunker) step(to *call, e *report.Episode, a *report.Call) {
	for _, p := range a.Parts {
		untrue := slices.Index([]string{"", record.FalseSuccess, record.UnreportedSide}, p.Untruth())
		if p.Asked != "" || p.Did != "" {
			to.Parts = append(to.Parts, [3]int{c.text(explain.Asked(&p)), c.text(explain.Got(&p)), untrue})
		}
	}
	for _, q := range a.Requests {
		to.Requests = append(to.Requests, [2]int{c.text(fmt.Sprintf("%s %s: %d", q.Method, q.URL, q.Status)), c.text(q.Body)})
	}
	for _, row := range explain.Unmet(e, a) {
		to.Unmet = append(to.Unmet, [3]int{c.text(row[0]), c.text(row[1]), c.text(row[2])})
	}
	if a.Trace == nil {
		return
	}
	for _, heard := range a.Trace.Events {
		to.Heard = append(to.Heard, c.text(explain.Heard(heard)))
	}
	for _, f := range a.Trace.Changed {
		to.Changed = append(to.Changed, [3]int{c.text(cmp.Or(f.Name, f.Element.Field, f.Role)), c.text(f.Was), c.text(f.Value)})
	}
	for _, lost := range append(a.Trace.Lost, a.Trace.Missing) {
		if lost != "" {
			to.Heard = append(to.Heard, c.text("not known: "+lost))
		}
	}
}

func (c *chunker) node(n judge.Node) node {
	out := node{
		Kind: c.text(n.Kind), Path: c.text(n.Path), Verdict: c.text(string(n.Verdict)), Would: c.text(string(n.Would)),
		Expected: c.text(n.Expected), Observed: c.text(n.Observed), Note: c.text(explain.Note(&n)),
	}
	for _, child := range n.Children {
		out.Children = append(out.Children, c.node(child))
	}
	return out
}

// commands returns the commands that show the episode on a terminal and run its task again.
func commands(r *report.Report, e *report.Episode) []string {
	show := display.Command(display.Program, "report:show", "-run="+r.RunID, "-episode="+e.Name)
	return append([]string{display.Visible(show)}, explain.Again(r, e, "")...)
}
