package containers

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"path"
	"regexp"
	"strings"
)

// Title is the package as a person reads it: openchrome-mcp@1.12.9 from the npm
// registry, openchrome-mcp@1.7.15 (sha256:f1d8971b5ea6) for the user's own
// package, or its digest alone if the name is unknown.
func (i Images) Title() string {
	digest, own := strings.CutPrefix(i.Package, "sha256:")
	switch short := "sha256:" + digest[:min(len(digest), 12)]; {
	case !own:
		return i.Package
	case i.Name == "":
		return short
	default:
		return i.Name + " (" + short + ")"
	}
}

// npmName matches a package's name and version as npm allows them. Such a text is
// safe to show on a terminal.
var npmName = regexp.MustCompile(`^(@[a-z0-9~._-]+/)?[a-z0-9~._-]+@[0-9A-Za-z.+-]+$`)

// maxManifest bounds a package.json, in bytes.
const maxManifest = 8 << 20

func manifestName(manifest []byte) string {
	var m struct{ Name, Version string }
	json.Unmarshal(manifest, &m) // an invalid package.json gives no name
	name := m.Name + "@" + m.Version
	if len(name) > tailWidth || !npmName.MatchString(name) {
		return ""
	}
	return name
}

// packedName returns name@version of a package from npm pack, or "". Its
// package.json is in the one folder of the archive, most often package/.
func packedName(tgz []byte) string {
	z, err := gzip.NewReader(bytes.NewReader(tgz))
	if err != nil {
		return ""
	}
	for t := tar.NewReader(io.LimitReader(z, maxPackage)); ; {
		h, err := t.Next()
		if err != nil {
			return ""
		}
		if ok, _ := path.Match("*/package.json", path.Clean(h.Name)); ok {
			manifest, _ := io.ReadAll(io.LimitReader(t, maxManifest))
			return manifestName(manifest)
		}
	}
}
