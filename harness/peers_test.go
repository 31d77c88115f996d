package harness_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
)

// The policy form passes built-in tasks on each peer, on this machine's Chromium.
func TestPeers(t *testing.T) {
	modules := need.Peers(t)
	const calls = 10
	for _, s := range server.All() {
		if !s.IsPeer() {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel() // it mostly waits for browsers
			out := t.TempDir()
			o := harness.Options{Out: out, RunID: "r", Parallel: 2}
			o.Task, o.Adapter = baselineTasks, "policy:form"
			o.Server = s.Name + ":" + filepath.Join(modules, filepath.FromSlash(s.Start.Package))
			o.Stdout, o.Stderr = io.Discard, io.Discard
			harness.Run(t.Context(), o)
			r := reportOf(t, out)
			for _, e := range r.Episodes.All() {
				if e.Status != record.Passed {
					t.Errorf("%s: %s, %s", e.Name, e.Status, e.Reason)
				}
			}
			if got := r.Totals.ToolCalls; got != calls || r.Episodes.Len() != 3 {
				t.Errorf("%d calls in %d episodes, want %d in 3", got, r.Episodes.Len(), calls)
			}
			if r.Server.Launcher != s.Name || !strings.HasPrefix(r.Server.Package, "sha256:") || r.Server.Facts != "observer" {
				t.Errorf("server %+v", r.Server)
			}
		})
	}
}

// The judged tab is the one that the peer's tools act on, also after it selected an older one
// or closed the newest.
func TestPeersTabs(t *testing.T) {
	modules := need.Peers(t)
	sites, tasks := t.TempDir(), t.TempDir()
	for _, name := range []string{"first", "second"} {
		file := filepath.Join(sites, "tabs.test", name+".html")
		html := "<!doctype html><meta charset=utf-8><link rel=icon href=data:,><h1>" + name + "</h1>"
		need.Write(t, file, html)
	}
	transcripts := map[string][]string{
		"playwright-mcp": {
			`{"tool":"browser_tabs","args":{"action":"new"}}
{"tool":"browser_navigate","args":{"url":"https://tabs.test/second"}}`,
			`{"tool":"browser_tabs","args":{"action":"select","index":0}}`,
			`{"tool":"browser_tabs","args":{"action":"close","index":1}}`,
		},
		"chrome-devtools-mcp": {
			`{"tool":"new_page","args":{"url":"https://tabs.test/second"}}`,
			`{"tool":"select_page","args":{"pageId":1}}`,
			`{"tool":"close_page","args":{"pageId":2}}`,
		},
	}
	want := map[string]string{"opened": "second", "selected": "first", "closed": "first"}
	for id, heading := range want {
		dir := filepath.Join(tasks, id)
		contract := fmt.Sprintf(`{"kind":"dom_text","selector":"h1","contains":%q}`, heading)
		writeTask(t, dir, "https://tabs.test/first", contract, `{"tool":"tabs_context","args":{}}`)
		for name, calls := range transcripts {
			text := calls[0]
			switch id {
			case "selected":
				text += "\n" + calls[1]
			case "closed":
				text += "\n" + calls[2]
			}
			need.Write(t, filepath.Join(dir, "transcript."+name+".jsonl"), text)
		}
	}
	for _, s := range server.All() {
		if !s.IsPeer() {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel() // it mostly waits for browsers
			out := t.TempDir()
			o := harness.Options{Out: out, RunID: "r", Parallel: 2}
			o.Tasks, o.Sites = tasks, sites
			o.Server = s.Name + ":" + filepath.Join(modules, filepath.FromSlash(s.Start.Package))
			o.Stdout, o.Stderr = io.Discard, io.Discard
			harness.Run(t.Context(), o)
			r := reportOf(t, out)
			for _, e := range r.Episodes.All() {
				if e.Status != record.Passed || e.OpenchromeErrors > 0 {
					t.Errorf("%s: %s, %s; %d error answers", e.Name, e.Status, e.Reason, e.OpenchromeErrors)
				}
			}
			need.Is(t, "episodes", len(want), r.Episodes.Len())
		})
	}
}

// CI installs the versions that the transcripts were made with.
func TestPinnedPeers(t *testing.T) {
	script := need.Read(t, filepath.Join(root(), ".ci", "peers.sh"))
	for _, s := range server.All() {
		if pin := s.Start.Package + "@" + s.Start.Pinned; s.IsPeer() && !strings.Contains(string(script), pin) {
			t.Errorf(".ci/peers.sh does not install %s", pin)
		}
	}
}

// Pages that tamper with how they are read are judged as they really are, whichever server
// has them open. Each is a task of its own; its last call changes nothing.
func TestPeersOnHostilePages(t *testing.T) {
	modules := need.Peers(t)
	raw := need.Read(t, "internal/drive/observer/testdata/hostile.json")
	type page struct {
		Name, HTML, Path, State string
		Count                   *int
		Naive                   bool
	}
	var pages []page
	need.OK(t, json.Unmarshal(raw, &pages))
	// The others fool nobody who reads as we do; package observer tests them all.
	pages = slices.DeleteFunc(pages, func(p page) bool { return !p.Naive && p.Path == "" && p.State == "" })
	if len(pages) < 18 {
		t.Fatalf("only %d pages", len(pages))
	}
	sites, tasks := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		need.Write(t, name, text)
	}
	for i, p := range pages {
		id, count := fmt.Sprintf("page-%02d", i), 1
		if p.Count != nil {
			count = *p.Count
		}
		write(filepath.Join(sites, "hostile.test", id+".html"),
			"<!doctype html><meta charset=utf-8><link rel=icon href=data:,><p id=state>Open</p><ul><li>1</ul>"+p.HTML)
		contract := fmt.Sprintf(`{"kind":"and","children":[{"kind":"url","pattern":%q},{"kind":"dom_text","selector":"#state","contains":%q},
			{"kind":"dom_count","selector":"li","op":"eq","value":%d}]}`,
			"^https://hostile\\.test"+regexp.QuoteMeta(cmp.Or(p.Path, "/"+id))+"$", cmp.Or(p.State, "Open"), count)
		dir := filepath.Join(tasks, id)
		writeTask(t, dir, "https://hostile.test/"+id, contract, `{"tool":"tabs_context","args":{}}`)
		write(filepath.Join(dir, "transcript.playwright-mcp.jsonl"), `{"tool":"browser_tabs","args":{"action":"list"}}`)
		write(filepath.Join(dir, "transcript.chrome-devtools-mcp.jsonl"), `{"tool":"list_pages","args":{}}`)
	}
	servers := map[string]string{"openchrome": os.Getenv("OPENCHROME_DIST")}
	for _, s := range server.All() {
		if s.IsPeer() {
			servers[s.Name] = filepath.Join(modules, filepath.FromSlash(s.Start.Package))
		}
	}
	for i, name := range slices.Sorted(maps.Keys(servers)) {
		pkg := servers[name]
		// No server reads the pages, so the peers share them: each opens every other page.
		var ids []string
		for k := range pages {
			if name == "openchrome" || k%2 == i%2 {
				ids = append(ids, fmt.Sprintf("page-%02d", k))
			}
		}
		t.Run(name, func(t *testing.T) {
			if pkg == "" {
				t.Skip("needs a real OpenChrome: set OPENCHROME_DIST to its dist/index.js")
			}
			t.Parallel()
			out := t.TempDir()
			o := harness.Options{Out: out, RunID: "r", Parallel: 2}
			o.Task = strings.Join(ids, ",")
			o.Tasks, o.Sites = tasks, sites
			o.Server = cmp.Or(map[string]string{"openchrome": "local"}[name], name) + ":" + pkg
			o.Stdout, o.Stderr = io.Discard, io.Discard
			harness.Run(t.Context(), o)
			r := reportOf(t, out)
			need.Is(t, "episodes", len(ids), r.Episodes.Len())
			for _, e := range r.Episodes.All() {
				if e.Status != record.Passed {
					t.Errorf("%s: %s, %s", e.TaskID, e.Status, e.Reason)
				}
			}
		})
	}
}
