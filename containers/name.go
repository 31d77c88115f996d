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

// Title is the package as a person reads it: openchrome-mcp@1.12.9 of the npm
// registry, openchrome-mcp@1.7.15 (sha256:f1d8971b5ea6) of the user's own, which
// is the digest alone where the name is not known.
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

// instead says that the image is not that of the pinned package.
func (i Images) instead() string {
	return "openchrome image: that of " + i.Title() + " is used, the last that -package named; the pinned openchrome-mcp@" +
		defaultPackage + " has none yet (-package=" + defaultPackage + " builds it)"
}

// npmName is what npm takes for a package's name and version; a terminal shows
// it as it is.
var npmName = regexp.MustCompile(`^(@[a-z0-9~._-]+/)?[a-z0-9~._-]+@[0-9A-Za-z.+-]+$`)

// maxManifest bounds a package.json, in bytes; its name and version stand in the
// first few hundred.
const maxManifest = 1 << 20

// manifestName returns name@version of a package.json, or "".
func manifestName(manifest []byte) string {
	var m struct{ Name, Version string }
	json.Unmarshal(manifest, &m) // of a broken one, none
	name := m.Name + "@" + m.Version
	if len(name) > tailWidth || !npmName.MatchString(name) {
		return ""
	}
	return name
}

// packedName returns name@version of what npm pack packed: the package.json in
// the one folder that all is in, most often package/. It is "" where there is none.
func packedName(tgz []byte) string {
	z, err := gzip.NewReader(bytes.NewReader(tgz))
	if err != nil {
		return ""
	}
	for t := tar.NewReader(z); ; {
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
