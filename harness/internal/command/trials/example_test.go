package trials

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// The pages in docs/example are what the program makes of the logs beside them, and the pictures of README show
// these pages. With -update it makes both again, which needs Chromium.
func TestExample(t *testing.T) {
	t.Chdir("../../../..") // the pages name this folder, and must not name where the checkout is
	dir := filepath.Join("docs", "example")
	const run = "servers"
	var all []*contestant
	var runs []*report.Report
	type made struct {
		id    string
		write func(io.Writer) error
	}
	var pages []made
	for i := 1; i <= 3; i++ {
		id := fmt.Sprintf("%s-%d", run, i)
		log := filepath.Join(dir, report.EventsDir, id+".jsonl")
		r, err := report.FromFile(t.Context(), log)
		need.OK(t, err)
		costs, err := readCosts(t.Context(), log)
		need.OK(t, err)
		r.Out = dir
		runs, all = append(runs, r), append(all, &contestant{report: r, done: r, costs: costs})
		pages = append(pages, made{id, func(w io.Writer) error { return page.RunHTML(w, r, dir) }})
	}
	grid := compare.GridOf(titles(all), runs...)
	pages = append(pages, made{run, func(w io.Writer) error { // it links to the others
		return page.HTML(w, page.Parity(run, "", serverTable(all, grid), grid, dir, runs...))
	}})
	for _, p := range pages {
		var b bytes.Buffer
		need.OK(t, p.write(&b))
		name := filepath.Join(dir, report.ReportsDir, p.id+".html")
		if *need.Update {
			need.Write(t, name, b.Bytes())
		}
		if was, err := os.ReadFile(name); err != nil || !bytes.Equal(was, b.Bytes()) {
			t.Errorf("%s is not what the program writes now (%v); run go generate ./harness", name, err)
		}
	}
	var sums strings.Builder
	for _, p := range []struct{ picture, page, at string }{
		{"servers.png", "docs/example/reports/servers.html", ""},
		{"episode.png", "docs/example/reports/servers-1.html", "#episode=form-colour%40form%231"},
		{"history.png", "docs/benchmarks/history.html", ""},
	} {
		if *need.Update {
			page, err := filepath.Abs(p.page)
			need.OK(t, err)
			picture(t, filepath.Join(dir, p.picture), "file://"+page+p.at)
		}
		shows := sha256.New()
		io.WriteString(shows, p.at)
		shows.Write(need.Read(t, p.page))
		fmt.Fprintf(&sums, "%s shows %s%s, sha256:%x\n", p.picture, filepath.Base(p.page), p.at, shows.Sum(nil))
	}
	pictures := filepath.Join(dir, "pictures.txt")
	if *need.Update {
		need.Write(t, pictures, sums.String())
	}
	need.Is(t, "pictures.txt, which go generate ./harness makes", sums.String(), string(need.Read(t, pictures)))
}

// picture takes one of a page.
func picture(t *testing.T, name, address string) {
	profile := t.TempDir()
	cmd := exec.Command(need.Chromium(t), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,820",
		"--virtual-time-budget=5000", "--user-data-dir="+profile, "--screenshot="+name, address)
	cmd.Env = append(os.Environ(), "HOME="+profile)
	need.Run(t, cmd)
	if _, err := os.Stat(name); err != nil {
		t.Fatal(errors.Join(errors.New("Chromium made no picture"), err))
	}
}
