package containers

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/containers"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// version matches a version on npm, or a tag such as latest.
var version = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]*$`)

// The largest sizes of a package and of a package.json, in bytes.
const (
	maxPackage  = 64 << 20
	maxManifest = 8 << 20
)

type source struct {
	identity string // openchrome-mcp@1.12.9, or sha256:… of the files
	version  string // version on the npm registry; "" if there are files
	files    files  // files of the build context
}

// OnNpm is the version of OpenChrome that a container gets from npm if -package names none.
const OnNpm = "1.12.9"

// openSource finds the package that the option names: a version, a packed package
// (.tgz), or a folder with a built OpenChrome.
func openSource(name string) (source, error) {
	if name == "" {
		name = OnNpm
	}
	if dist, ok := strings.CutSuffix(filepath.ToSlash(name), "/index.js"); ok {
		name = filepath.Dir(filepath.FromSlash(dist))
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return openFolder(name)
	case err == nil:
		data, err := regular.Read(name, maxPackage)
		if err != nil {
			return source{}, fmt.Errorf("package: %w", err)
		}
		f := files{"manifest/openchrome.tgz": data}
		return source{identity: f.digest(), files: f}, nil
	case errors.Is(err, fs.ErrNotExist) && version.MatchString(name) && !strings.HasSuffix(name, ".tgz"):
		return source{identity: "openchrome-mcp@" + name, version: name}, nil
	}
	return source{}, fmt.Errorf("package %s: %w; name a version on npm, a .tgz, or a folder with a built OpenChrome", name, regular.Cause(err))
}

// openFolder takes the files that npm would pack, and the lock file, so that the
// image gets exactly the folder's dependencies.
func openFolder(dir string) (source, error) {
	f := make(files)
	for _, name := range []string{"package.json", "package-lock.json", "npm-shrinkwrap.json"} {
		data, err := regular.Read(filepath.Join(dir, name), maxManifest)
		if errors.Is(err, fs.ErrNotExist) && name != "package.json" {
			continue
		}
		if err != nil {
			return source{}, fmt.Errorf("package %s: %w; name a folder with a built OpenChrome", dir, err)
		}
		f["manifest/"+name] = data
	}
	if _, err := os.Stat(filepath.Join(dir, "dist", "index.js")); err != nil {
		return source{}, fmt.Errorf("package %s: no dist/index.js; build it first (npm run build)", dir)
	}
	if err := f.add(os.DirFS(filepath.Join(dir, "dist")), "dist"); err != nil {
		return source{}, fmt.Errorf("package %s: %w", dir, err)
	}
	return source{identity: f.digest(), files: f}, nil
}

// recipe is a folder of this package: a Dockerfile and the files that it copies.
func recipe(name string) files {
	f := make(files)
	sub, _ := fs.Sub(containers.Recipes, name)
	if err := f.add(sub, ""); err != nil {
		panic(err) // cannot fail: the folder is embedded
	}
	return f
}

// files are the content of a build context, by slash path.
type files map[string][]byte

// add adds the regular files of fsys. at is their folder in the build context.
func (f files) add(fsys fs.FS, at string) error {
	left := maxPackage
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := regular.ReadFS(fsys, name, left)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		left -= len(data)
		f[path.Join(at, name)] = data
		return nil
	})
}

// archive returns the files as a tar, the same bytes for the same files.
func (f files) archive() []byte {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		mode := int64(0o644)
		if name == "server" || name == "bench" {
			mode = 0o755
		}
		// Writing to memory does not fail.
		w.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(f[name])), Format: tar.FormatPAX})
		w.Write(f[name])
	}
	w.Close()
	return buf.Bytes()
}

// digest is "sha256:" and 64 hex digits over names and contents.
func (f files) digest() string {
	sum := sha256.Sum256(f.archive())
	return "sha256:" + hex.EncodeToString(sum[:])
}
