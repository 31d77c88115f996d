package web

import (
	"encoding/json"
	"fmt"
)

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
