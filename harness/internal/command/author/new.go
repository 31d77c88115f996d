// Package author helps to write tasks: it makes a new task from another one, shows what each
// step of a task saw, and accepts the answers of a run into its transcript.
package author

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
	"github.com/openchrome/bench/harness/internal/web"
)

// NewOptions say which task to make.
type NewOptions struct {
	ID    string // of the new task
	From  string // id of the task to start from
	Tasks string // folder to write the task to, and to look for From first; empty: my-tasks
	Sites string // folder to write its hosts to, and whose hosts come first; empty: my-sites

	program.Streams
}

// validID leaves room for ".test" in the name of a host.
var validID = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$`)

// New makes a task and its hosts as copies of another task and its hosts, under new names. It
// changes no file that exists.
func New(o NewOptions) error {
	o.Tasks, o.Sites = cmp.Or(o.Tasks, "my-tasks"), cmp.Or(o.Sites, "my-sites")
	o.Streams = o.Streams.WithDefaults()
	if !validID.MatchString(o.ID) {
		return program.Usage(fmt.Errorf("options: id is %s, want at most 42 characters a-z, 0-9 and -, such as renew-book", display.Quote(o.ID)))
	}
	from, err := find(o)
	if err != nil {
		return program.Usage(err)
	}
	var dirs []string
	if exists(o.Sites) {
		dirs = append(dirs, o.Sites)
	}
	set, err := web.Open(dirs...)
	if err != nil {
		return program.Usage(fmt.Errorf("the sites have faults: %w", err))
	}
	hosts := rename(from, set, o.ID)
	files := from.copied(hosts, set, o)
	for _, dir := range o.folders(hosts) {
		if exists(dir) {
			return program.Usage(fmt.Errorf("%s already exists; choose another -id", dir))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if exists(name) { // a schema
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, files[name], 0o644)); err != nil {
			return err
		}
	}
	o.say(hosts)
	return nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// original is the task to start from.
type original struct {
	id    string
	files map[string][]byte // by path in its folder
	start string            // the host of its start URL
}

// left reports whether a file of the original is left out: what was signed off for
// suite:check, and transcripts of other paths and for other servers.
func left(name string) bool {
	other, _ := path.Match("transcript.*.jsonl", name)
	return other || name == "checks.json"
}

func find(o NewOptions) (original, error) {
	t := original{id: o.From, files: make(map[string][]byte)}
	if o.From == "" {
		return t, errors.New("options: from is missing; -from= names the task to copy, and mage bench:list lists the built-in tasks")
	}
	var source fs.FS = fixtures.FS
	if exists(filepath.Join(o.Tasks, o.From, task.FileName)) {
		source = os.DirFS(o.Tasks)
	}
	if _, err := fs.Stat(source, path.Join(o.From, task.FileName)); err != nil {
		entries, _ := fs.ReadDir(fixtures.FS, ".") // it is embedded
		var ids []string
		for _, e := range entries {
			ids = append(ids, e.Name())
		}
		return t, fmt.Errorf("options: no task %s to start from, neither in %s nor built in%s; mage bench:list lists the built-in tasks",
			display.Quote(o.From), display.Visible(o.Tasks), display.DidYouMean(o.From, ids))
	}
	err := fs.WalkDir(source, o.From, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		file := strings.TrimPrefix(name, o.From+"/")
		if left(file) {
			return nil
		}
		if t.files[file], err = regular.ReadFS(source, name, jsonfile.MaxSize); err != nil {
			return fmt.Errorf("%s: %w", display.Visible(path.Join(o.Tasks, name)), err)
		}
		return nil
	})
	if err != nil {
		return t, err
	}
	start := jsonfile.Loose(task.FileName, t.files[task.FileName]).Value().Get("startUrl")
	if start == nil {
		return t, fmt.Errorf("task %s has no startUrl", o.From)
	}
	if u, err := url.Parse(start.Text); err == nil {
		t.start = u.Hostname()
	}
	return t, nil
}

// hostName matches what can be a host, and a mail address as a whole. In a pattern the dots of
// a host are escaped.
var hostName = regexp.MustCompile(`[a-z0-9@-]+(?:\\*\.[a-z0-9-]+)+`)

func unescaped(name []byte) string { return strings.ReplaceAll(string(name), `\`, "") }

// rename returns the new names of all hosts that the task needs: the ones in its files, and
// the ones in the files of these hosts.
func rename(t original, set *web.Set, id string) map[string]string {
	names := make(map[string]string)
	for todo := []map[string][]byte{t.files}; len(todo) > 0; todo = todo[1:] {
		for _, data := range todo[0] {
			for _, found := range hostName.FindAll(data, -1) {
				host := unescaped(found)
				if !set.Has(host) || names[host] != "" {
					continue
				}
				label, _, _ := strings.Cut(host, ".")
				names[host] = id + "-" + strings.TrimPrefix(label, t.id+"-") + ".test"
				todo = append(todo, set.Source(host))
			}
		}
	}
	if names[t.start] != "" {
		names[t.start] = id + ".test"
	}
	return names
}

// renamed returns a file with the new names of hosts. A dot in them is escaped like the first
// one of the old name.
func renamed(data []byte, hosts map[string]string) []byte {
	return hostName.ReplaceAllFunc(data, func(found []byte) []byte {
		name, ok := hosts[unescaped(found)]
		if !ok {
			return found
		}
		dot := found[bytes.IndexAny(found, `\.`) : bytes.IndexByte(found, '.')+1]
		return []byte(strings.ReplaceAll(name, ".", string(dot)))
	})
}

// copied returns the files of the new task and its hosts, by their paths on disk.
func (t original) copied(hosts map[string]string, set *web.Set, o NewOptions) map[string][]byte {
	out := map[string][]byte{filepath.Join(o.Tasks, "task.schema.json"): fixtures.Schema}
	if t.files[param.FileName] != nil {
		out[filepath.Join(o.Tasks, "params.schema.json")] = fixtures.ParamsSchema
	}
	for name, data := range t.files {
		data = renamed(data, hosts)
		if name == task.FileName {
			data = edited(data, map[string]string{"id": strconv.Quote(o.ID), "revision": "1"})
		}
		out[filepath.Join(o.Tasks, o.ID, filepath.FromSlash(name))] = data
	}
	for host, name := range hosts {
		for file, data := range set.Source(host) {
			out[filepath.Join(o.Sites, name, filepath.FromSlash(file))] = renamed(data, hosts)
		}
	}
	return out
}

// edited returns a JSON object with other values for some of its keys.
func edited(data []byte, values map[string]string) []byte {
	root := jsonfile.Loose(task.FileName, data).Value()
	var out []byte
	done := 0
	for _, n := range root.Items {
		if value, ok := values[n.Key]; ok {
			out = append(append(out, data[done:n.Offset]...), value...)
			done = n.End
		}
	}
	return append(out, data[done:]...)
}

// folders are the new folders: of the task and of each host.
func (o NewOptions) folders(hosts map[string]string) []string {
	dirs := []string{filepath.Join(o.Tasks, o.ID)}
	for _, host := range slices.Sorted(maps.Values(hosts)) {
		dirs = append(dirs, filepath.Join(o.Sites, host))
	}
	return dirs
}

// say prints what was made and what comes next.
func (o NewOptions) say(hosts map[string]string) {
	for _, dir := range o.folders(hosts) {
		fmt.Fprintf(o.Stdout, "made     %s\n", dir)
	}
	in := display.Command("-tasks="+o.Tasks, "-sites="+o.Sites)
	fmt.Fprintf(o.Stdout, "see it   mage site:serve %s -task=%s\n", in, o.ID)
	fmt.Fprintf(o.Stdout, "try it   mage task:try %s -task=%s\n", in, o.ID)
	fmt.Fprintf(o.Stdout, "check it mage task:check %s\n", in)
}
