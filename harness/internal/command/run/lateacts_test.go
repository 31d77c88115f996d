package run

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// lateActs are scripts of a page that acts after the last call.
var lateActs = map[string]struct {
	script string
	status record.Status
}{
	"timer-1900":  {`done(); setTimeout(wrong, 1900)`, record.Failed},
	"timer-2100":  {`done(); setTimeout(wrong, 2100)`, record.Failed},
	"timer-5000":  {`done(); setTimeout(wrong, 5000)`, record.Failed},
	"timer-29000": {`done(); setTimeout(wrong, 29000)`, record.Failed},
	"request":     {`done(); fetch("/slow").then(() => setTimeout(wrong, 1500))`, record.Failed},
	"popup":       {`done(); setTimeout(() => open("/timer-5000#run"), 1000)`, record.Failed},
	"frames":      {`done(); const f = () => performance.now() > 5000 ? wrong() : requestAnimationFrame(f); f()`, record.Failed},
	"leaves":      {`done(); setTimeout(() => { location = "/bad" }, 5000)`, record.Failed},
	"interval":    {`done(); let n = 0; const i = setInterval(() => { if (++n == 50) { clearInterval(i); wrong() } }, 100)`, record.Failed},
	"too-late":    {`setTimeout(done, 6000)`, record.Failed},
	"soon":        {`setTimeout(done, 2900)`, record.Passed},
	"transition":  {`const b = document.querySelector("p"); b.addEventListener("transitionend", done); setTimeout(() => { b.className = "wide" }, 500)`, record.Passed},
	"animation":   {`document.querySelector("p").animate([{opacity: 0}, {opacity: 1}], 1000).onfinish = done`, record.Passed},
	"60-frames":   {`let n = 0; const f = () => ++n == 60 ? done() : requestAnimationFrame(f); f()`, record.Passed},
	"stream":      {`new EventSource("/never"); setTimeout(done, 1500)`, record.Passed},
	"for-ever":    {`done(); setInterval(() => fetch("/open"), 16)`, record.Passed},
	"computes":    {`done(); setInterval(() => { const e = performance.now(); for (let i = 0, x = 0; i < 3e7; i++) x += i }, 10)`, record.Passed},
}

// forms are the ways in which a page with such a script is there: what the button of the first page does.
var forms = map[string]string{
	"opener": `<button onclick="run()">Go</button>`,
	"popup":  `<button onclick="window.open('/%[1]s#run')">Go</button>`,
	"tab":    `<button onclick="window.open('/%[1]s#run', '', 'noopener')">Go</button>`,
	"frame":  `<button onclick="frames[0].postMessage('run', '*')">Go</button><iframe src="https://late-frame.test/%[1]s"></iframe>`,
}

// writeLateActs writes a task and a page for each of them in each form, and returns the ids of the tasks.
func writeLateActs(t *testing.T, tasks, sites string) (ids []string) {
	for _, host := range []string{"late.test", "late-frame.test"} {
		write := func(name, text string) {
			need.Write(t, filepath.Join(sites, host, name), "<!doctype html><meta charset=utf-8><link rel=icon href=data:,>"+text)
		}
		need.Write(t, filepath.Join(sites, host, "routes.json"), `[
			{"method": "POST", "path": "/done", "when": {"first": 1}, "set": {"seat": "yes"}, "status": 204},
			{"method": "POST", "path": "/done", "wrong": "a second seat", "status": 204},
			{"method": "POST", "path": "/wrong", "wrong": "acted late", "status": 204},
			{"path": "/bad", "wrong": "left", "file": "open.html"},
			{"path": "/slow", "delayMs": 700, "file": "open.html"},
			{"path": "/never", "delayMs": 20000, "file": "open.html"},
			{"path": "/seat", "receipt": true, "when": {"state": {"seat": "yes"}}, "file": "open.html"}
		]`)
		write("open.html", "")
		for _, kind := range slices.Sorted(maps.Keys(lateActs)) {
			acts := `<style>p { width: 9px; transition: width 1s } .wide { width: 99px }</style><p>A seat</p><script>
const post = path => fetch(path, {method: "POST", keepalive: true}), done = () => post("/done"), wrong = () => post("/wrong")
function run() { ` + lateActs[kind].script + ` }
onmessage = run; if (location.hash) run()</script>`
			write(kind+".html", acts)
			for form, button := range forms {
				if kind == "popup" && form != "opener" || host != "late.test" {
					continue // only a page that was clicked may open one
				}
				page := acts + button
				if form != "opener" {
					page = fmt.Sprintf(button, kind)
				}
				id := kind + "-" + form
				write(id+".html", page)
				task := fmt.Sprintf(`{"id": %q, "title": "T", "goal": "G", "startUrl": "https://late.test/%[1]s",
					"success": {"kind": "network", "url_pattern": "^https://late(-frame)?\\.test/\\.end/seat$",
						"status_in": [200], "since": "contract_enter"}}`, id)
				need.Write(t, filepath.Join(tasks, id, "task.json"), task)
				need.Write(t, filepath.Join(tasks, id, "intents.jsonl"), `{"send": "Go"}`)
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// Whatever server drives it, what a page does late is seen, and soon. In CI each server gets a share of
// the pages; with OPENCHROME_BENCH_LATE=N each gets all of them, N times.
func TestLateActs(t *testing.T) {
	modules := need.Peers(t)
	tasks, sites := t.TempDir(), t.TempDir()
	all := writeLateActs(t, tasks, sites)
	servers := map[string]string{}
	if dist := os.Getenv("OPENCHROME_DIST"); dist != "" {
		servers["openchrome"] = "local:" + dist
	}
	for _, s := range server.All() {
		if s.IsPeer() {
			servers[s.Name] = s.Name + ":" + filepath.Join(modules, filepath.FromSlash(s.Start.Package))
		}
	}
	repetitions, err := strconv.Atoi(cmp.Or(os.Getenv("OPENCHROME_BENCH_LATE"), "0"))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range slices.Sorted(maps.Keys(servers)) {
		t.Run(name, func(t *testing.T) {
			ids := all
			if repetitions == 0 {
				ids = nil
				for n, id := range all { // each kind in another form
					if (n+n/len(forms))%len(forms) == i {
						ids = append(ids, id)
					}
				}
			}
			o := quiet(t.TempDir())
			o.Parallel, o.Repetitions, o.Adapter = 2, max(1, repetitions), "policy:form"
			o.Task, o.Tasks, o.Sites, o.Server = strings.Join(ids, ","), tasks, sites, servers[name]
			Run(t.Context(), o) // some episodes fail
			r, err := report.FromFile(t.Context(), o.EventsFile())
			need.OK(t, err)
			if r.Episodes.Len() != len(ids)*max(1, repetitions) {
				t.Errorf("%d episodes of %d tasks", r.Episodes.Len(), len(ids))
			}
			for _, e := range r.Episodes.All() {
				kind := e.TaskID[:strings.LastIndex(e.TaskID, "-")]
				isWrong := lateActs[kind].status == record.Failed && kind != "too-late"
				if e.Status != lateActs[kind].status || isWrong != (len(e.WrongSideEffects) > 0) || e.Waited.WaitMs+e.Waited.RestMs > 17_000 {
					t.Errorf("%s: %s: %s; it waited %+v", e.Name, e.Status, e.Reason, e.Waited)
				}
			}
		})
	}
}
