package web

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web/route"
	"github.com/openchrome/bench/harness/internal/web/template"
	"github.com/openchrome/bench/sites"
)

// A Set holds the fixture hosts of a run: all files in memory, with parsed templates and
// checked routes. It never changes and is safe for concurrent use.
type Set struct {
	sites  map[string]func() *site        // built-in hosts are parsed when they are first asked for
	draws  tree                           // hosts that show the values of a task, see With; their entries in sites return nil
	at     func(host, name string) string // names a file in faults
	digest string
	tree   tree // as it was read
	pack   func() []byte
}

// Open returns the built-in hosts and the hosts in dirs. Each dir holds one folder for each
// host. A later host completely replaces an earlier or built-in host of the same name.
//
// Open reads every file now; later changes of the folders have no effect. It
// leaves out dot files and README.md, and follows symlinks to files of the same dir. All dirs
// together may hold 64 MB. The error is [jsonfile.Faults], sorted, with every
// fault of every host in dirs.
func Open(dirs ...string) (*Set, error) {
	tree, faults := readTree(sites.FS, func(name string) string { return "built-in " + name }, &budget{})
	origin := make(map[string]string)
	left := &budget{}
	for _, dir := range dirs {
		at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
		hosts, more := readTree(within(dir), at, left)
		if len(hosts) == 0 && len(more) == 0 {
			more = append(more, jsonfile.Whole(dir, "no host in it; make a folder with the name of a host, such as %s",
				display.VisibleTo(at("mysite.test/index.html"), 300)))
		}
		faults = append(faults, more...)
		maps.Copy(tree, hosts)
		for host := range hosts {
			origin[host] = dir
		}
		if left.full() { // a file that could not be read is not missing
			return nil, faults.Err()
		}
	}
	s, more := buildSome(tree, origin, func(host, name string) string {
		if dir, ok := origin[host]; ok {
			return filepath.Join(dir, host, filepath.FromSlash(name))
		}
		return "built-in " + host + "/" + name
	})
	if err := append(faults, more...).Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// tree holds file contents by host, then by slash path inside the host.
type tree map[string]map[string][]byte

// buildSome makes the Set, and parses and checks the hosts of now. A test checks the others, which
// are built in. at names a file in faults. Do not use a Set with faults.
func buildSome[V any](t tree, now map[string]V, at func(host, name string) string) (*Set, jsonfile.Faults) {
	s := &Set{sites: make(map[string]func() *site, len(t)), draws: make(tree), at: at, digest: digest(t), tree: t}
	faults := tooLarge(t, at)
	if faults != nil {
		return s, faults
	}
	for _, host := range slices.Sorted(maps.Keys(t)) {
		if showsValues(t[host]) {
			s.sites[host], s.draws[host] = func() *site { return nil }, t[host]
			continue
		}
		parse := sync.OnceValues(func() (*site, jsonfile.Faults) {
			return newSite(t[host], nil, func(name string) string { return at(host, name) })
		})
		s.sites[host] = func() *site { parsed, _ := parse(); return parsed }
		if _, ok := now[host]; ok {
			_, more := parse()
			faults = append(faults, more...)
		}
	}
	s.pack = sync.OnceValue(func() []byte { return pack(t) })
	return s, faults
}

// tooLarge returns a fault if a template, routes.json or state.json is larger than is allowed.
func tooLarge(t tree, at func(host, name string) string) (faults jsonfile.Faults) {
	for host, files := range t {
		for name, data := range files {
			most := len(data)
			switch {
			case name == route.RoutesFile || name == route.StateFile:
				most = jsonfile.MaxSize
			case template.Is(name):
				most = template.MaxSize
			}
			if len(data) > most {
				faults = append(faults, jsonfile.Whole(at(host, name), "the file is larger than %d KiB; make it smaller", most>>10))
			}
		}
	}
	return faults
}

// site returns a host; nil if it is unknown, or has no values of a task.
func (s *Set) site(host string) *site {
	if parsed := s.sites[host]; parsed != nil {
		return parsed()
	}
	return nil
}

// Has reports whether host, a name without port, is one of the fixture hosts. Case does not
// matter.
func (s *Set) Has(host string) bool {
	_, ok := s.sites[strings.ToLower(host)]
	return ok
}

// Hosts returns the names of the hosts, sorted.
func (s *Set) Hosts() []string {
	return slices.Sorted(maps.Keys(s.sites))
}

// Source returns the files of a host by name, as they were read; nil for an unknown host.
func (s *Set) Source(host string) map[string][]byte { return maps.Clone(s.tree[host]) }

// Digest returns "sha256:" and 64 hex digits over the names, file names and file contents
// of all hosts. Equal Sets have equal digests, however they were opened.
func (s *Set) Digest() string { return s.digest }

// Digests returns a digest for each host, by its name: the first 16 hex digits of its [Set.Digest] alone.
func (s *Set) Digests() map[string]string {
	digests := make(map[string]string, len(s.tree))
	for host, files := range s.tree {
		digests[host] = strings.TrimPrefix(digest(tree{host: files}), "sha256:")[:16]
	}
	return digests
}

func digest(t tree) string {
	h := sha256.New()
	item := func(b []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	for _, host := range slices.Sorted(maps.Keys(t)) {
		for _, name := range slices.Sorted(maps.Keys(t[host])) {
			item([]byte(host))
			item([]byte(name))
			item(t[host][name])
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Pack returns the Set as bytes for [OpenPacked]: JSON that maps each host to
// its files. Equal Sets give equal bytes. The caller must not change the bytes.
func (s *Set) Pack() []byte { return s.pack() }

func pack(t tree) []byte {
	data, err := json.Marshal(t)
	if err != nil {
		panic("web: " + err.Error()) // a tree always has a JSON form
	}
	return data
}

// OpenPacked opens the output of [Set.Pack]: those hosts and no others. It
// checks files as [Open] does.
func OpenPacked(packed []byte) (*Set, error) {
	var t tree
	if err := json.Unmarshal(packed, &t); err != nil {
		return nil, fmt.Errorf("packed sites: %w", err)
	}
	s, faults := buildSome(t, t, func(host, name string) string { return "packed " + host + "/" + name })
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return s, nil
}
