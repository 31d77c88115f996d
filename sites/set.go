package sites

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Named one by one: a pattern such as *.test would also take compiled tests.
//
//go:embed all:example.com all:forms.test all:news.test all:recovery.test all:shop.test
var builtIn embed.FS

// A Set is the fixture hosts of a run: every file in memory, templates parsed,
// routes checked. It never changes after it was opened and may be used by any
// number of goroutines.
type Set struct {
	sites  map[string]*site
	digest string
	pack   func() []byte
}

// Open returns the built-in hosts and those found in dirs, each of which holds
// one folder a host. A host found again replaces the one before it, built-in
// or not, as a whole.
//
// All of it is read now; later changes of the folders have no effect. Dot
// files and README.md are left out, symlinks to files are followed, and
// everything together may hold 64 MB. The error joins every fault found, one a
// line, each beginning with the path of the file or folder at fault.
func Open(dirs ...string) (*Set, error) {
	tree, err := readTree(builtIn, func(name string) string { return "built-in " + name }, &budget{})
	if err != nil {
		return nil, err
	}
	origin := make(map[string]string)
	left := &budget{}
	var faults []error
	for _, dir := range dirs {
		at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
		hosts, err := readTree(os.DirFS(dir), at, left)
		if err == nil && len(hosts) == 0 {
			err = fmt.Errorf("%s: no host in it; make a folder named as the host, such as %s", dir, at("mysite.test/index.html"))
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		maps.Copy(tree, hosts)
		for host := range hosts {
			origin[host] = dir
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return build(tree, func(host, name string) string {
		if dir, ok := origin[host]; ok {
			return filepath.Join(dir, host, filepath.FromSlash(name))
		}
		return "built-in " + host + "/" + name
	})
}

// tree holds file contents by host, then by slash path inside the host.
type tree map[string]map[string][]byte

// build checks the files of every host and puts the Set together. at names a
// file in errors.
func build(t tree, at func(host, name string) string) (*Set, error) {
	s := &Set{sites: make(map[string]*site, len(t)), digest: digest(t)}
	var faults []error
	for _, host := range slices.Sorted(maps.Keys(t)) {
		site, err := newSite(t[host], func(name string) string { return at(host, name) })
		if err != nil {
			faults = append(faults, err)
			continue
		}
		s.sites[host] = site
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	s.pack = sync.OnceValue(func() []byte { return pack(t) })
	return s, nil
}

// Has reports whether host, a name without port, is one of the fixture hosts.
// Upper and lower case are the same.
func (s *Set) Has(host string) bool {
	return s.sites[strings.ToLower(host)] != nil
}

// Hosts returns the names of the hosts, sorted.
func (s *Set) Hosts() []string {
	return slices.Sorted(maps.Keys(s.sites))
}

// Digest returns "sha256:" and 64 hex digits over all hosts' names, file
// names and file contents. Equal Sets, however opened, have equal digests.
func (s *Set) Digest() string { return s.digest }

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
