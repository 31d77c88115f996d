package containers

import (
	"archive/tar"
	"bytes"
	"maps"
	"slices"
)

// archive returns the files as a tar, the same bytes for the same files.
func (f files) archive() []byte {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		mode := int64(0o644)
		if name == "server" {
			mode = 0o755
		}
		// Neither fails: the names are relative paths, and memory takes all.
		w.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(f[name])), Format: tar.FormatPAX})
		w.Write(f[name])
	}
	w.Close()
	return buf.Bytes()
}
