package page

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
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

// RunHTML writes the page of a run: its document, then a list of episodes and their documents as JSON, packed, in
// script blocks that no browser runs. page.js makes text nodes of it only. out is the folder that the run wrote to:
// the pages that were kept are read below it, and links lead to it from out/reports. With an empty out the page
// has no kept pages.
func RunHTML(w io.Writer, r *report.Report, out string) (err error) {
	b := bufio.NewWriter(w)
	begin(b, overview(r))
	order := inOrder(r.Episodes)
	l := newList(r, order)
	f := file{Writer: b, run: r, out: out, room: maxShots, shots: map[[sha256.Size]byte]string{}}
	if l.Left, err = f.details(order, l.Rows); err != nil {
		return err
	}
	l.write(b)
	packed, err := pack(l)
	if err != nil {
		return err
	}
	f.block("list", packed)
	fmt.Fprintf(b, "<script>%s</script>\n</body>\n</html>\n", script)
	return b.Flush()
}

const (
	// maxDetails bounds the packed details, so that the whole file is at most 5 MB without
	// screenshots. The list of 10,000 episodes needs some of it.
	maxDetails = 4_300_000
	// A chunk has at most this many episodes, and is full when it has this many bytes of
	// JSON. A browser unpacks it when somebody opens one of its episodes.
	maxChunk     = 64
	maxChunkText = 1 << 20
	// maxShots bounds the screenshots that the file holds, in characters of base64. The page
	// links to the others.
	maxShots = 5_000_000
)

// file is the page of a run while it is written.
type file struct {
	*bufio.Writer
	run   *report.Report
	out   string
	room  int                          // for screenshots
	shots map[[sha256.Size]byte]string // ids of blocks
	queue []func()                     // writes screenshots
}

// details writes the documents of episodes in chunks, as long as there is room, and says in each row where its
// document is. left are the rows without one.
func (f *file) details(order []int, rows []row) (left int, err error) {
	view := View{}
	if f.out != "" {
		view.Pages = PagesOf(f.out)
	}
	for i := range rows {
		rows[i].Chunk = -1
	}
	room, begin := maxDetails, 0
	for number := 0; begin < len(order); number++ {
		var chunk []json.RawMessage
		size, end := 0, begin
		for end < len(order) && len(chunk) < maxChunk && size < maxChunkText {
			d := Episode(f.run, f.run.Episodes.At(order[end]), view)
			title := el("h1", "tabindex", "-1").with(builder{}.text(d.Verdict)...)
			whole := el("main").with(title).with(builder{f.shot}.blocks(d.Blocks)...)
			raw, err := json.Marshal(whole.packed()[2:])
			if err != nil {
				return 0, err
			}
			chunk = append(chunk, raw)
			size += len(raw)
			end++
		}
		packed, err := pack(chunk)
		if err != nil {
			return 0, err
		}
		if room -= len(packed); room < 0 {
			break
		}
		f.block(fmt.Sprintf("chunk-%d", number), packed)
		for _, write := range f.queue {
			write()
		}
		f.queue = nil
		for ; begin < end; begin++ {
			rows[begin].Chunk, rows[begin].At = number, begin-(end-len(chunk))
		}
	}
	return len(order) - begin, nil
}

// shot puts a screenshot into the file, equal ones once, or links to it if there is no room.
func (f *file) shot(image string) (attribute, value string) {
	link := beside(image)
	root, err := record.OpenPage(filepath.Join(f.out, report.EventsDir), path.Dir(image))
	if err != nil {
		return "src", link
	}
	defer root.Close()
	png, err := regular.ReadIn(root, path.Base(image), f.room/4*3) // as base64 it is longer
	if err != nil || !bytes.HasPrefix(png, []byte("\x89PNG\r\n")) {
		return "src", link
	}
	sum := sha256.Sum256(png)
	id, ok := f.shots[sum]
	if !ok {
		id = fmt.Sprintf("shot-%d", len(f.shots))
		f.shots[sum] = id
		text := base64.StdEncoding.EncodeToString(png)
		f.room -= len(text)
		f.queue = append(f.queue, func() { f.block(id, text) })
	}
	return "data-shot", id
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
	if err != nil {
		return "", err
	}
	if err := json.NewEncoder(packed).Encode(v); err != nil {
		return "", err
	}
	if err := packed.Close(); err != nil {
		return "", err
	}
	err = text.Close()
	return b.String(), err
}
