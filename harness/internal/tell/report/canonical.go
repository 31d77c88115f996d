package report

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// volatile are the fields of a report, its totals and its episodes that may differ between
// two runs that did the same. For events, [normaliser.body] does this. Hints are volatile
// because some depend on how long a page took. Causes and the ending are left out because the
// reasons and notes have them in words: so canonical reports keep the bytes that they had before
// causes.
var volatile = []string{"cause", "unsupported", "ending", "runId", "durationMs", "artifacts", "host", "hints", "digest", "page", "pageMissing", "package", "figures", "history", "attempts", "begun"}

// line returns the canonical form of one event, with its newline. Digests and diffs use
// only this form. Two equal episodes have equal lines, even if their repetitions differ.
func (n *normaliser) line(e record.Event) []byte {
	line := encode(struct {
		Seq  int         `json:"seq"`
		Type record.Type `json:"type"`
		By   record.By   `json:"by,omitempty"`
		Body any         `json:"body,omitempty"`
	}{e.Seq, e.Body.Type(), e.By, n.body(e.Body)})
	// A tab's id can occur in any text: of the page, of an error, of evidence.
	return []byte(n.tabs(string(line) + "\n"))
}

// body returns a copy of an event's body without volatile fields and with
// OpenChrome's answers normalised.
func (n *normaliser) body(b record.Body) any {
	switch b := b.(type) {
	case *record.Reset:
		c := *b
		c.Attempt, c.Repetition, c.LaunchMs, c.WaitMs, c.Error = 0, 0, 0, 0, n.text(b.Error)
		if b.Subject != nil {
			s := *b.Subject
			s.Package, s.Image = "", "" // a new comment in the package changes them
			c.Subject = &s
		}
		return c
	case *record.ToolCall:
		c := *b
		c.Args = json.RawMessage(n.args(b.Args))
		return c
	case *record.ToolResult:
		n.drifted = n.drifted || b.Drift != nil
		return struct {
			Step   int            `json:"step"`
			Tool   string         `json:"tool"`
			Answer answer         `json:"answer"`
			Drift  *adapter.Drift `json:"drift,omitempty"`
			record.Fault
		}{b.Step, b.Tool, n.answered(b), b.Drift, record.Fault{Cause: b.Cause, Failure: n.text(b.Failure)}}
	case *record.Progress:
		c := *b
		c.Failure = n.text(b.Failure)
		// A busy machine may read the address before the page has moved. An answer's node ids can
		// be words too.
		c.URL, c.Words = "", nil
		return c
	case *record.Facts:
		return n.facts(b)
	case *record.ContractEval:
		c := *b
		c.Failure, c.UpstreamMissing = n.text(b.Failure), n.text(b.UpstreamMissing)
		c.Judgement = steady(b.Judgement)
		if b.Upstream != nil {
			u := steady(*b.Upstream)
			c.Upstream = &u
		}
		if b.Server != nil {
			c.Server = &record.ServerFacts{Verdict: b.Server.Verdict}
		}
		return c
	case *record.Stop:
		c := *b
		c.DurationMs, c.Cause, c.Reason = 0, "", n.reason(b) // the cause follows from the other fields and events
		c.Error, c.Outage, c.ServerEnded = n.text(b.Error), n.text(b.Outage), n.text(b.ServerEnded)
		c.Page, c.PageMissing, c.ServerMemory, c.TaskFile = "", "", 0, ""
		return c
	}
	return nil // events of the run hold only ids, options and times
}

// facts removes times and all measurements: performance, console and screenshots.
func (n *normaliser) facts(b *record.Facts) any {
	c := *b
	c.NowMs, c.SessionID, c.Provenance, c.Missing, c.Failure = 0, "", nil, n.text(b.Missing), n.text(b.Failure)
	c.WaitMs, c.Judgings, c.Off = 0, 0, false // NoPage says it too
	if b.Facts == nil {
		return c
	}
	f := *b.Facts
	f.ContractFacts, f.ScreenshotPNG, f.LastToolCall = nil, "", 0
	f.Network = slices.Clone(f.Network)
	for i := range f.Network {
		f.Network[i].TS = 0
	}
	// A browser requests the parts of a page at the same time, so their order varies.
	slices.SortFunc(f.Network, func(a, b judge.Request) int {
		return cmp.Or(strings.Compare(a.URL, b.URL), cmp.Compare(a.Status, b.Status))
	})
	c.Facts = &f
	return c
}

// measured finds the assertions whose evidence holds measurements. For these
// only the verdict is compared.
var measured = regexp.MustCompile(`"assertion_kind":"(performance|console|screenshot_class)"`)

// steady returns the judgement without measurements. If the evidence holds measurements at
// any depth, only the verdict and the names of the failed assertions stay.
func steady(j judge.Judgement) judge.Judgement {
	if j.Evidence == nil || !measured.Match(encode(j.Evidence)) {
		return j
	}
	j.Evidence = &judge.Evidence{Passed: j.Evidence.Passed, AssertionKind: j.Evidence.AssertionKind}
	j.FailedAssertions = slices.Clone(j.FailedAssertions)
	for i := range j.FailedAssertions {
		j.FailedAssertions[i].Actual = nil
	}
	return j
}

// Canonical writes the report without its volatile fields, with sorted keys and one field
// per line. Equal repetitions of a task are one element, with the numbers of all of them.
// Two runs that did the same give the same bytes, and a report that is kept in a repository
// has small diffs.
func Canonical(w io.Writer, r *Report) error {
	head := *r
	head.Episodes = Episodes{}
	head.Tasks = slices.Clone(r.Tasks)
	for i := range head.Tasks {
		head.Tasks[i].File = ""
	}
	fields := strip(head)
	list := []any{}        // never null in JSON
	at := map[string]int{} // index in list by canonical episode
	var numbers [][]int    // repetitions, likewise
	for _, e := range r.Episodes.All() {
		// The digest is of all events: most repetitions need no more to be found equal.
		key := fmt.Sprint(e.TaskID, " ", e.Retries, e.Digest)
		n, ok := at[key]
		if !ok || e.Digest == "" {
			one := canonicalEpisode(e)
			n = len(list)
			at[key] = n
			list, numbers = append(list, one), append(numbers, nil)
		}
		numbers[n] = append(numbers[n], e.Repetition)
	}
	for n, one := range list {
		one.(map[string]any)["repetitions"] = record.Ranges(numbers[n])
	}
	fields["episodes"] = list
	b := bufio.NewWriter(w)
	put(b, fields, "\n")
	b.WriteByte('\n')
	return b.Flush()
}

// canonicalEpisode returns an episode without what differs between equal repetitions.
func canonicalEpisode(e *Episode) map[string]any {
	one := strip(e)
	one["events"] = e.Digest
	delete(one, "episode")
	delete(one, "repetition")
	if measured.Match(e.Evidence) {
		delete(one, "evidence")
		delete(one, "explanation")
		delete(one, "failedContract")
	}
	calls, _ := one["calls"].([]any)
	for _, call := range calls {
		c := call.(map[string]any)
		for _, name := range []string{"durationMs", "argTokens", "answerTokens", "hint"} {
			delete(c, name)
		}
	}
	return one
}

// put writes v with a field a line. A list of values that hold no others stands on one
// line, and so does each element of a list that holds no others.
func put(b *bufio.Writer, v any, newline string) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		comma := ""
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(comma + newline + "  ")
			b.Write(encode(key))
			b.WriteString(": ")
			put(b, v[key], newline+"  ")
			comma = ","
		}
		if len(v) > 0 {
			b.WriteString(newline)
		}
		b.WriteByte('}')
	case []any:
		if !slices.ContainsFunc(v, isNested) {
			b.Write(encode(v))
			return
		}
		b.WriteByte('[')
		comma := ""
		for _, element := range v {
			b.WriteString(comma + newline + "  ")
			if m, ok := element.(map[string]any); ok && !slices.ContainsFunc(slices.Collect(maps.Values(m)), isNested) {
				b.Write(encode(m))
			} else {
				put(b, element, newline+"  ")
			}
			comma = ","
		}
		b.WriteString(newline + "]")
	default:
		b.Write(encode(v))
	}
}

// isNested reports whether a decoded JSON value holds other values.
func isNested(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// expand reads what [record.Ranges] wrote.
func expand(s string) ([]int, error) {
	var numbers []int
	for part := range strings.SplitSeq(s, ",") {
		low, high, ok := strings.Cut(part, "-")
		if !ok {
			high = low
		}
		a, err := strconv.Atoi(low)
		z, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil || a < 1 || z < a || z-a+len(numbers) >= record.MaxRepetitions || len(numbers) > 0 && a <= numbers[len(numbers)-1] {
			return nil, fmt.Errorf("repetitions are %s, want ascending numbers such as 1-3,5", display.Quote(s))
		}
		for ; a <= z; a++ {
			numbers = append(numbers, a)
		}
	}
	return numbers, nil
}

// strip returns v as a JSON object without its volatile fields and those of its
// totals.
func strip(v any) map[string]any {
	fields, _ := decode(encode(v)).(map[string]any)
	totals, _ := fields["totals"].(map[string]any)
	subject, _ := fields["subject"].(map[string]any)
	for _, name := range volatile {
		delete(fields, name)
		delete(totals, name)
	}
	delete(subject, "package")
	delete(subject, "image")
	return fields
}

// encode returns v as JSON with sorted keys and without HTML escapes. Values in reports can
// always be encoded.
func encode(v any) []byte {
	raw, err := record.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// decode reads the output of encode. Numbers stay as they are written.
func decode(raw []byte) (v any) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

func digest(r *Report) string {
	h := sha256.New()
	Canonical(h, r) // writing to a hash does not fail
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
