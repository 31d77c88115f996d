package page_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
)

const maxFile = 5_000_000

func TestSize(t *testing.T) {
	var a, b bytes.Buffer
	r := standins(t, 10_000)
	need.OK(t, page.RunHTML(&a, r, ""))
	if a.Len() > maxFile {
		t.Errorf("10,000 episodes take %d bytes", a.Len())
	}
	if err := page.RunHTML(&b, r, ""); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("%v: a second time the page differs", err)
	}
}

// Without room for all details, the ones of passed episodes are left out, and the page
// says so.
func TestDetailsAreLeftOut(t *testing.T) {
	r := standins(t, 900)
	random := rand.New(rand.NewPCG(1, 2))
	for i, e := range r.Episodes.All() {
		noise := make([]byte, 9000)
		for j := range noise {
			noise[j] = byte(random.IntN(256))
		}
		e.Calls[0].Answer = base64.StdEncoding.EncodeToString(noise)
		if i%2 == 0 && i < 400 {
			e.Status, e.Success = record.Failed, false
		}
		r.Episodes.Set(i, e)
	}
	b := startBrowser(t)
	page := write(t, r, "")
	info, err := os.Stat(page)
	need.OK(t, err)
	if info.Size() > maxFile || info.Size() < maxFile*2/3 {
		t.Errorf("the file has %d bytes", info.Size())
	}
	b.open(t, page, "#episode=example-h1%23199")
	b.until(t, `document.querySelector("#episode")?.innerText.includes("Contract")`)
	b.eval(t, `location.hash = "episode=local-recovery-stall%23300"`, nil)
	b.until(t, heading+` === "passed local-recovery-stall#300"`)
	const hint = "This page would be too large with the details of all episodes. The event log has them."
	if text := b.text(t, `document.getElementById("episode").innerText`); !strings.Contains(text, hint) {
		t.Errorf("no hint in\n%s", text)
	}
	b.eval(t, `location.hash = ""`, nil)
	b.until(t, `document.getElementById("run").innerText.includes("To keep this page small, the details of ")`)
	b.calm(t)
}

// png returns a file of about n bytes that begins like a screenshot.
func png(t testing.TB, n int) []byte {
	t.Helper()
	dot, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")
	need.OK(t, err)
	random := rand.New(rand.NewPCG(uint64(n), 2))
	for len(dot) < n {
		dot = append(dot, byte(random.IntN(256)))
	}
	return dot
}

// One large page costs no more if a log names it for many episodes: it is read once.
func TestSharedPage(t *testing.T) {
	out := t.TempDir()
	r := mixed(t)
	folder := filepath.Join(out, "events", "r", "page")
	need.OK(t, os.MkdirAll(folder, 0o755))
	for i, e := range r.Episodes.All() {
		e.Page = "events/r/" + strings.Repeat("./", i) + "page"
		r.Episodes.Set(i, e)
	}
	need.Write(t, filepath.Join(folder, "page.json"), "{}")
	var b bytes.Buffer
	need.OK(t, page.RunHTML(&b, r, out))
	text := unpacked(t, b.String())
	if n := strings.Count(text, "another episode has its page in events/r/page"); n != r.Episodes.Len()-1 {
		t.Errorf("%d of %d pages are missing, want all but one", n, r.Episodes.Len())
	}
}

// unpacked returns the first chunk of details as JSON.
func unpacked(t *testing.T, file string) string {
	_, rest, _ := strings.Cut(file, `id="chunk-0">`)
	packed, _, _ := strings.Cut(rest, "<")
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	need.OK(t, err)
	text, err := io.ReadAll(r)
	need.OK(t, err)
	return string(text)
}

// Screenshots are in the file as long as there is room, equal ones once, and the ones of
// failed episodes first. No file outside
// of the run's folder is read.
func TestScreenshots(t *testing.T) {
	out := t.TempDir()
	r := mixed(t)
	secret := filepath.Join(t.TempDir(), "page.png")
	contents := [][]byte{png(t, 2_500_000), png(t, 50), png(t, 2_000_000), png(t, 2_000_000), []byte("no picture"), nil}
	for i, content := range contents {
		e := r.Episodes.At(i)
		e.Page = "events/r/page-" + strconv.Itoa(i)
		r.Episodes.Set(i, e)
		folder := filepath.Join(out, "events", "r", "page-"+strconv.Itoa(i))
		need.Write(t, filepath.Join(folder, "page.json"), "{}")
		name := filepath.Join(folder, "page.png")
		if content == nil {
			if err := os.Symlink(secret, name); err != nil {
				t.Skip(err)
			}
			name, content = secret, png(t, 77)
		}
		need.Write(t, name, content)
	}
	var b bytes.Buffer
	need.OK(t, page.RunHTML(&b, r, out))
	for i, want := range []int{0, 1, 1, 1, 0, 0} {
		content := contents[i]
		if content == nil {
			content = png(t, 77)
		}
		if n := strings.Count(b.String(), ">"+base64.StdEncoding.EncodeToString(content)+"<"); n != want {
			t.Errorf("screenshot %d is %d times in the file, want %d", i, n, want)
		}
	}
	page := filepath.Join(out, "reports", "r.html")
	need.Write(t, page, b.Bytes())
	browser := startBrowser(t)
	for _, anchor := range []string{"#episode=example-h1%231", "#episode=example-h1%232"} { // one linked, one in the file
		browser.open(t, page, anchor)
		browser.until(t, `document.querySelector("#episode img")?.naturalWidth > 0`)
	}
	browser.calm(t)
}

// counter counts what is written.
type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

var _ io.Writer = (*counter)(nil)
