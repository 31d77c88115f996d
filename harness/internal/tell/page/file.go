package page

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// contentPolicy is the Content-Security-Policy of a page. Only screenshots are loaded: from the
// page itself, or from the folder beside it.
var contentPolicy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data: 'self' file:; "+
	"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
	hash(script), hash(style))

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// HTML writes a document as one file, which a browser opens from disk.
func HTML(w io.Writer, d Document) error {
	b := bufio.NewWriter(w)
	begin(b, d)
	b.WriteString("</main>\n</body>\n</html>\n")
	return b.Flush()
}

func begin(w *bufio.Writer, d Document) {
	w.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	fmt.Fprintf(w, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", contentPolicy)
	w.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	w.WriteString("<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n")
	word, rest, _ := strings.Cut(d.Verdict.String(), ": ")
	if rest != "" {
		rest = ": " + rest
	}
	el("title").with(display.Visible(word + ": " + d.Name)).write(w)
	fmt.Fprintf(w, "<style>%s</style>\n</head>\n<body>\n", style)
	verdict := el("h1").with(el("span", "class", string(d.Tone)).with(display.Visible(word)), display.Visible(rest))
	el("header", "class", "top").with(el("p", "class", "faint").with(display.Visible(d.Name)), verdict).write(w)
	w.WriteString("<main id=\"run\">\n")
	for _, n := range (builder{}).blocks(d.Blocks) {
		n.(*node).write(w)
		w.WriteString("\n")
	}
}

const (
	// maxDetails bounds the packed documents of episodes, so that the whole file is at most 5 MB without
	// screenshots. The list of 10,000 episodes needs some of it.
	maxDetails = 4_300_000
	// maxShots bounds the screenshots that the file holds, in characters of base64. The page
	// links to the others.
	maxShots = 5_000_000
)

// RunHTML writes the page of a run: its document, then a list of its episodes and their documents, as far as
// there is room, as packed JSON, of which page.js makes text nodes only. Episodes that failed come first, then
// void ones. out is the folder that the run wrote to: the pages that were kept are read below it, and links lead
// to it from out/reports. With an empty out the page has no kept pages.
func RunHTML(w io.Writer, r *report.Report, out string) error {
	f := file{bufio.NewWriter(w), out, maxShots, map[[sha256.Size]byte]string{}}
	d := overview(r)
	if r.Options.Repetitions > 1 { // else the list of episodes is the one of tasks
		d.Blocks = append(d.Blocks, tasks(r)...)
	}
	d.Blocks = append(d.Blocks, rest(r)...)
	begin(f.Writer, d)
	var ranked [3][]*report.Episode
	for _, e := range r.Episodes.All() {
		rank := slices.Index([]record.Class{record.Fail, record.Void, record.Pass}, e.Status.Class())
		ranked[rank] = append(ranked[rank], e)
	}
	var rows []row
	room := maxDetails
	for i, e := range slices.Concat(ranked[:]...) {
		rows = append(rows, listed(e))
		if room < 0 {
			continue
		}
		d := Episode(r, e, View{Out: out, Pages: out})
		title := el("h1", "tabindex", "-1").with(builder{}.text(d.Verdict)...)
		packed, err := pack(append([]any{title}, builder{f.shot}.blocks(d.Blocks)...))
		if err != nil {
			return err
		}
		if room -= len(packed); room >= 0 {
			f.block(fmt.Sprintf("details-%d", i), packed)
		}
	}
	f.WriteString(list)
	packed, err := pack(rows)
	f.block("list", packed)
	fmt.Fprintf(f, "<script>%s</script>\n</body>\n</html>\n", script)
	return cmp.Or(err, f.Flush())
}

// file is the page of a run while it is written.
type file struct {
	*bufio.Writer
	out   string
	room  int                          // for screenshots
	shots map[[sha256.Size]byte]string // ids of blocks
}

// shot puts a screenshot into the file, equal ones once, or links to it if there is no room.
func (f *file) shot(image string) (attribute, value string) {
	root, err := record.OpenPage(filepath.Join(f.out, report.EventsDir), path.Dir(image))
	if err != nil {
		return "src", beside(image)
	}
	defer root.Close()
	png, err := regular.ReadIn(root, path.Base(image), f.room/4*3) // as base64 it is longer
	if err != nil || !bytes.HasPrefix(png, []byte("\x89PNG\r\n")) {
		return "src", beside(image)
	}
	sum := sha256.Sum256(png)
	if f.shots[sum] == "" {
		f.shots[sum] = fmt.Sprintf("shot-%d", len(f.shots))
		text := base64.StdEncoding.EncodeToString(png)
		f.room -= len(text)
		f.block(f.shots[sum], text)
	}
	return "data-shot", f.shots[sum]
}

// block writes packed text in a script that no browser runs. Base64 cannot end it.
func (f *file) block(id, packed string) {
	fmt.Fprintf(f, "<script type=\"text/plain\" id=\"%s\">%s</script>\n", id, packed)
}

// pack returns v as JSON, gzip and base64. The fastest level takes two thirds of the time of
// the usual one, for an eighth more bytes.
func pack(v any) (string, error) {
	var b strings.Builder
	text := base64.NewEncoder(base64.StdEncoding, &b)
	packed, err := gzip.NewWriterLevel(text, gzip.BestSpeed)
	if err == nil {
		err = errors.Join(json.NewEncoder(packed).Encode(v), packed.Close(), text.Close())
	}
	return b.String(), err
}

// row is an episode in the list of page.js. All texts are safe to show.
type row struct {
	Name   string              `json:"name"`
	Class  record.Class        `json:"class"`
	Status string              `json:"status"`
	Title  string              `json:"title"` // of the task
	Why    string              `json:"why"`
	Is     map[string][]string `json:"is"`    // what filters ask for
	Cells  []any               `json:"cells"` // of columns
}

func listed(e *report.Episode) row {
	class, status := e.Status.Class(), display.Visible(Status(e.Status, string(e.Outcome)))
	is := map[string][]string{"status": {status}, "task": {display.Visible(e.TaskID)}, "tag": {}, "tool": {}}
	is["cause"] = []string{display.Visible(why.Group(e))}
	if class != record.Pass {
		is["status"] = append(is["status"], "not-passed")
	}
	if len(e.ChangedAnswers) > 0 {
		is["status"] = append(is["status"], "changed-answers")
	}
	for _, tag := range append([]string{record.Family(e.Tags, e.Category)}, e.Tags...) {
		if tag = display.Visible(tag); !slices.Contains(is["tag"], tag) {
			is["tag"] = append(is["tag"], tag)
		}
	}
	for i := range e.Calls {
		if tool := display.Visible(e.Calls[i].Tool); !slices.Contains(is["tool"], tool) {
			is["tool"] = append(is["tool"], tool)
		}
	}
	took := display.Duration(e.DurationMs)
	cells := []any{e.Steps, e.ToolCalls, e.OpenchromeErrors, len(e.ChangedAnswers), e.Tokens(), took}
	line := display.Visible(why.Line(e))
	return row{display.Visible(e.Name), class, status, display.Visible(e.Title), line, is, cells}
}

// list is the list of episodes, which page.js fills.
const list = `<section>
<div class="filters" role="search"><h2 id="episodes">Episodes</h2>
<input type="search" id="q" placeholder="Search" aria-label="Search episodes">
<select id="status" aria-label="Status"><option value="">All statuses</option></select>
<select id="task" aria-label="Task"><option value="">All tasks</option></select>
<select id="tag" aria-label="Tag"><option value="">All tags</option></select>
<select id="tool" aria-label="Tool"><option value="">All tools</option></select>
<button type="button" id="clear">Clear</button><span id="found" role="status"></span></div>
<p class="keys">Keys: / searches; j, k, ↓ and ↑ move; Enter opens; Esc goes back</p>
<noscript><p>The list of episodes needs JavaScript. report:show has an episode on a terminal.</p></noscript>
<p class="note" id="trouble" hidden></p>
<table class="episodes" id="rows"><thead><tr><th scope="col">Status</th><th scope="col">Episode</th>
<th scope="col" class="num">Steps</th><th scope="col" class="num">Calls</th><th scope="col" class="num">Errors</th>
<th scope="col" class="num">Changed answers</th><th scope="col" class="num">Tokens</th>
<th scope="col" class="num">Time</th></tr></thead><tbody></tbody></table>
<div id="more"></div></section>
</main>
<main id="episode" hidden></main>
`
