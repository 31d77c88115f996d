package launch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// probeSites has two hosts whose pages report what they see in their title.
func probeSites(t *testing.T, script string) (*web.Set, *serve.CA) {
	t.Helper()
	dir := t.TempDir()
	for _, host := range []string{"probe.test", "other.test"} {
		page := "<!doctype html><meta charset=utf-8><link rel=icon href='data:,'><title>…</title><script>" + script + "</script>"
		need.Write(t, filepath.Join(dir, host, "index.html"), page)
	}
	set, err := web.Open(dir)
	need.OK(t, err)
	ca, err := serve.NewCA(set.Hosts()...)
	need.OK(t, err)
	return set, ca
}

// testBrowser is a Chromium as the local launcher starts it.
type testBrowser struct {
	*chromium
	web   *fixtureWeb
	dir   string
	close func()
}

// needChromium is the path of one. The test is skipped with -short.
func needChromium(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Chromium, so only mage testAll runs it")
	}
	path, err := findChromium()
	if err != nil {
		need.Missing(t, err)
	}
	return path
}

// startBrowser starts one that trusts pin.
func startBrowser(t *testing.T, set *web.Set, ca, pin *serve.CA) *testBrowser {
	t.Helper()
	path := needChromium(t)
	dir, remove, err := watchdog.TempDir()
	need.OK(t, err)
	w, err := newWeb(set, ca, false, nil)
	need.OK(t, err)
	need.OK(t, MakeSessionDir(dir))
	ctx := need.Within(t, session.LaunchTimeout)
	c, err := startChromium(ctx, path, dir, CleanEnv(dir), chromiumFlags(profileOf(dir), w, set, pin), Confinement{})
	need.OK(t, err)
	need.OK(t, c.ready(ctx))
	b := &testBrowser{chromium: c, web: w, dir: dir}
	b.close = func() {
		c.Close()
		w.Close()
		need.OK(t, remove())
	}
	t.Cleanup(b.close)
	return b
}

// title opens a URL in a new tab and returns the tab's title once it is done
// with: when it does not end in … any more. See Chromium's HTTP endpoints at
// https://chromedevtools.github.io/devtools-protocol/.
func (b *testBrowser) title(t *testing.T, url string) string {
	t.Helper()
	var tab, now struct{ ID, Title, URL string }
	b.get(t, http.MethodPut, "new?"+url, &tab)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-tick.C {
		var tabs []struct{ ID, Title, URL string }
		b.get(t, http.MethodGet, "list", &tabs)
		i := slices.IndexFunc(tabs, func(x struct{ ID, Title, URL string }) bool { return x.ID == tab.ID })
		if i < 0 {
			t.Fatalf("%s: the tab is gone", url)
		}
		// Until the page has a title, its address stands for it.
		now = tabs[i]
		if now.Title != "" && now.Title != "about:blank" && !strings.HasSuffix(now.Title, "…") && !strings.Contains(url, now.Title) {
			return now.Title
		}
	}
	t.Fatalf("%s: after 20 s the title is %q", url, now.Title)
	return ""
}

func (b *testBrowser) get(t *testing.T, method, path string, v any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d/json/%s", b.port, path), nil)
	need.OK(t, err)
	resp, err := http.DefaultClient.Do(req)
	need.OK(t, err)
	defer resp.Body.Close()
	need.OK(t, json.NewDecoder(resp.Body).Decode(v))
}

// urls are those of the access log.
func (b *testBrowser) urls(t *testing.T) []string {
	t.Helper()
	var urls []string
	for _, r := range b.web.served.Log().Requests {
		urls = append(urls, r.URL)
	}
	return urls
}

// stayOf returns the processes of dir that stay. One that was killed takes a moment to end.
func stayOf(dir string) (left []string) {
	for began := time.Now(); time.Since(began) < 10*time.Second; runtime.Gosched() {
		if left = processesOf(dir); len(left) == 0 {
			break
		}
	}
	return left
}

// processesOf returns the processes that know of a folder, by their command
// line or their environment. Zombies have neither.
func processesOf(dir string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range files {
		args, _ := os.ReadFile(p + "/cmdline")
		env, _ := os.ReadFile(p + "/environ")
		if p != fmt.Sprintf("/proc/%d", os.Getpid()) && (bytes.Contains(args, []byte(dir)) || bytes.Contains(env, []byte(dir))) {
			found = append(found, p+" "+string(bytes.ReplaceAll(args[:min(len(args), 200)], []byte{0}, []byte{' '})))
		}
	}
	return found
}
