package page_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

const maxFile = 5_000_000

// A run of 10,000 episodes is one file of at most 5 MB, the same each time, which a browser opens. Those that
// did not pass are whole; the ones for which there is no room are rows.
func TestSize(t *testing.T) {
	var a, again bytes.Buffer
	r := standins(t, 10_000)
	last := r.Episodes.At(9_999)
	last.Status, last.Success = record.Failed, false
	r.Episodes.Set(9_999, last)
	need.OK(t, errors.Join(page.RunHTML(&a, r, ""), page.RunHTML(&again, r, "")))
	need.Is(t, "a second time the page is the same", true, bytes.Equal(a.Bytes(), again.Bytes()))
	if n := a.Len(); n > maxFile || n < maxFile*2/3 {
		t.Errorf("10,000 episodes take %d bytes", n)
	}
	b := startBrowser(t)
	name := filepath.Join(t.TempDir(), "r.html")
	need.Write(t, name, a.Bytes())
	b.open(t, name, "")
	for _, e := range []*report.Episode{last, r.Episodes.At(9_998)} {
		b.eval(t, `location.hash = "episode=`+e.Name+`"`, nil)
		b.untilIs(t, heading, page.Status(e.Status, "")+" "+e.Name)
		const hint = "This page would be too large with the details of all episodes. The event log has them."
		shown := b.text(t, `document.getElementById("episode").innerText`)
		need.Is(t, e.Name+" is a row", e != last, strings.Contains(shown, hint))
	}
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

// Screenshots are in the file as long as there is room, equal ones once, and the ones of
// failed episodes first. No file outside of the run's folder is read.
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
			name, contents[i] = secret, png(t, 77)
		}
		need.Write(t, name, contents[i])
	}
	var b bytes.Buffer
	need.OK(t, page.RunHTML(&b, r, out))
	for i, want := range []int{0, 1, 1, 1, 0, 0} {
		if n := strings.Count(b.String(), ">"+base64.StdEncoding.EncodeToString(contents[i])+"<"); n != want {
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
