package sites

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Pack returns the Set as bytes for [OpenPacked]: a gzipped tar with
// host/path names. The same files give the same bytes with the same Go
// release. The caller must not change them.
func (s *Set) Pack() []byte { return s.pack() }

// Writing to a bytes.Buffer fails never, and the names were checked, so there
// is no error to return.
func pack(t tree) []byte {
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestSpeed)
	w := tar.NewWriter(z)
	for _, host := range slices.Sorted(maps.Keys(t)) {
		for _, name := range slices.Sorted(maps.Keys(t[host])) {
			data := t[host][name]
			w.WriteHeader(&tar.Header{Name: host + "/" + name, Mode: 0o644, Size: int64(len(data)), Format: tar.FormatPAX})
			w.Write(data)
		}
	}
	w.Close()
	z.Close()
	return buf.Bytes()
}

// OpenPacked opens what [Set.Pack] made: those hosts and no others. It checks
// as [Open] does.
func OpenPacked(packed []byte) (*Set, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("packed sites: %w", err)
	}
	r := tar.NewReader(z)
	t := make(tree)
	// Room for the built-in hosts beside a user's full budget.
	left := int64(2 * maxTotal)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("packed sites: %w", err)
		}
		host, name, ok := strings.Cut(h.Name, "/")
		if err := checkHost(host); err != nil || !ok || name == "" || h.Typeflag != tar.TypeReg {
			return nil, fmt.Errorf("packed sites: %q is no file of a host", h.Name)
		}
		if left -= h.Size; left < 0 {
			return nil, fmt.Errorf("packed sites: more than %d MB", 2*maxTotal>>20)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("packed sites: %s: %w", h.Name, err)
		}
		if t[host] == nil {
			t[host] = make(map[string][]byte)
		}
		t[host][name] = data
	}
	s, faults := build(t, func(host, name string) string { return "packed " + host + "/" + name })
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return s, nil
}
