package launch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// nodePackage is an installed server.
type nodePackage struct {
	server  *server.Server
	dir     string // holds package.json and the entry
	version string // version in package.json
	engines string // the Node that it needs, such as ">=18.0.0"; may be empty
}

func (p *nodePackage) entry() string {
	return filepath.Join(p.dir, filepath.FromSlash(p.server.Start.Entry))
}

// install returns the command that installs the server.
func install(s *server.Server) string {
	if s.Start.Pinned == "" {
		return "npm install -g " + s.Start.Package
	}
	return "npm install -g " + s.Start.Package + "@" + s.Start.Pinned
}

// findPackage returns the package with the given folder or entry; "" means the installed
// package. The folder may also be the one in which npm installed the package, or its
// node_modules.
func findPackage(ctx context.Context, s *server.Server, given string) (*nodePackage, error) {
	switch {
	case given == "":
		return findInstalled(ctx, s)
	case strings.HasSuffix(given, ".tgz") || strings.HasSuffix(given, ".tar.gz"):
		return nil, fmt.Errorf("package %s: a tarball does not include its dependencies; install it (npm install -g %s), or name a folder with %s", given, given, built(s))
	}
	if _, err := os.Stat(given); err != nil {
		hint := fmt.Sprintf("name a folder with %s, or its %s", built(s), s.Start.Entry)
		if npmVersion.MatchString(given) {
			hint = fmt.Sprintf("-server cannot install a version; install it yourself: npm install -g %s@%s", s.Start.Package, given)
			if !s.IsPeer() {
				hint = fmt.Sprintf("only -server=container takes a version; install it yourself: npm install -g %s@%s", s.Start.Package, given)
			}
		}
		return nil, fmt.Errorf("package %s: no such file or folder; %s", given, hint)
	}
	dir, err := filepath.Abs(given)
	for _, inner := range []string{"node_modules", "."} {
		inner = filepath.Join(dir, inner, filepath.FromSlash(s.Start.Package))
		if exists(filepath.Join(inner, filepath.FromSlash(s.Start.Entry))) && !exists(filepath.Join(dir, filepath.FromSlash(s.Start.Entry))) {
			dir = inner
		}
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // as Node does; the dependencies are next to the real folder
	}
	if err != nil {
		return nil, err
	}
	return readPackage(s, strings.TrimSuffix(dir, filepath.FromSlash("/"+s.Start.Entry)))
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// built describes a package that can be run.
func built(s *server.Server) string {
	if s.Start.Build == "" {
		return "an installed " + s.Title
	}
	return "a built " + s.Title
}

var npmVersion = regexp.MustCompile(`^(v?\d+(\.\d+)*([-+][\w.-]+)?|latest|next)$`)

// maxManifest is the largest package.json, in bytes.
const maxManifest = 1 << 20

func readPackage(s *server.Server, dir string) (*nodePackage, error) {
	p := &nodePackage{server: s, dir: dir, engines: s.Start.Node}
	if _, err := os.Stat(p.entry()); err != nil {
		hint := "name another folder"
		if s.Start.Build != "" {
			hint = fmt.Sprintf("build it (%s), or %s", s.Start.Build, hint)
		}
		return nil, &session.NotBuilt{Err: fmt.Errorf("package %s: it has no %s; %s", dir, s.Start.Entry, hint)}
	}
	data, err := regular.Read(filepath.Join(dir, "package.json"), maxManifest)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w; name the folder that holds package.json", dir, err)
	}
	var manifest struct {
		Version string
		Engines struct{ Node string }
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, fmt.Errorf("package %s: package.json: %w", dir, err)
	}
	p.version, p.engines = manifest.Version, cmp.Or(s.Start.Node, manifest.Engines.Node)
	return p, nil
}

// findInstalled returns the globally installed package: the package of a command on the
// PATH, or else the package in npm's folder.
func findInstalled(ctx context.Context, s *server.Server) (*nodePackage, error) {
	for _, name := range s.Start.Commands {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			continue
		}
		for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if strings.HasSuffix(filepath.ToSlash(dir), "/"+s.Start.Package) {
				return readPackage(s, dir)
			}
		}
	}
	if root, err := npmRoot(ctx); err == nil {
		dir := filepath.Join(root, filepath.FromSlash(s.Start.Package))
		if _, err := os.Stat(dir); err == nil {
			return readPackage(s, dir)
		}
	}
	where := "-package=<folder>"
	if s.IsPeer() {
		where = "-server=" + s.Name + ":<folder>"
	}
	return nil, fmt.Errorf("no %s found; install it (%s), or name a folder with %s: %s", s.Title, install(s), built(s), where)
}

// npmTimeout bounds a call of npm, which takes about half a second.
const npmTimeout = 5 * time.Second

func npmRoot(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, npmTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "root", "-g")
	cmd.Env = watchdog.Environ()
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// digest returns "sha256:" and 64 hex digits over the names and contents of the files
// that Digest and Code of [server.Start] name, each folder's files in the order of their names.
func (p *nodePackage) digest(ctx context.Context) (string, error) {
	h := sha256.New()
	names := p.server.Start.Digest
	if names == nil {
		names = []string{"."}
	}
	err := addFiles(ctx, h, p.dir, "", names...)
	for _, code := range p.server.Start.Code {
		if err == nil {
			err = p.addCode(ctx, h, code)
		}
	}
	if err != nil {
		return "", fmt.Errorf("digest of package %s: %w", p.dir, err)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// addCode adds a package that this one needs, from the folder where Node finds it.
func (p *nodePackage) addCode(ctx context.Context, h io.Writer, name string) error {
	for _, modules := range PackageFolders(p.dir)[1:] {
		dir := filepath.Join(modules, filepath.FromSlash(name))
		if _, err := os.Stat(filepath.Join(dir, "package.json")); err == nil {
			return addFiles(ctx, h, dir, name+"/", ".")
		}
	}
	return fmt.Errorf("the package %s, which it needs, is missing; install the server again: %s", name, install(p.server))
}

// maxPackageFile is the largest file of a package, in bytes.
const maxPackageFile = 256 << 20

// addFiles adds files of dir, and all files in folders of dir, except node_modules.
func addFiles(ctx context.Context, h io.Writer, dir, prefix string, names ...string) error {
	for _, name := range names {
		err := filepath.WalkDir(filepath.Join(dir, name), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case ctx.Err() != nil:
				return ctx.Err()
			case d.IsDir() && d.Name() == "node_modules":
				return fs.SkipDir
			case !d.Type().IsRegular():
				return nil
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			f, err := regular.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				return err
			}
			name = prefix + filepath.ToSlash(name)
			fmt.Fprintf(h, "%d %s %d\n", len(name), name, info.Size())
			if info.Size() > maxPackageFile {
				return fmt.Errorf("%s is larger than %d MiB", path, maxPackageFile>>20)
			}
			_, err = io.Copy(h, f)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
