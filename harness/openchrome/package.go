package openchrome

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/watchdog"
)

// packageName is OpenChrome's name in the npm registry.
const packageName = "openchrome-mcp"

// entryFile is the program of a package that we run. Its bin is another one: it starts
// a browser that is not headless, and edits files in the user's home.
var entryFile = filepath.Join("dist", "index.js")

// nodePackage is an installed OpenChrome.
type nodePackage struct {
	dir     string // holds package.json and dist
	version string // of package.json
	engines string // the Node that it needs, such as ">=18.0.0"; may be empty
}

func (p *nodePackage) entry() string { return filepath.Join(p.dir, entryFile) }

// findPackage returns the OpenChrome whose folder or dist/index.js is given; "" is the
// installed one.
func findPackage(ctx context.Context, given string) (*nodePackage, error) {
	switch {
	case given == "":
		return findInstalled(ctx)
	case strings.HasSuffix(given, ".tgz") || strings.HasSuffix(given, ".tar.gz"):
		return nil, fmt.Errorf("package %s: a tarball has no dependencies with it; install it (npm install -g %s), name a folder with a built OpenChrome, or use -openchrome=container", given, given)
	}
	if _, err := os.Stat(given); err != nil {
		hint := "name a folder with a built OpenChrome, or its " + filepath.ToSlash(entryFile)
		if npmVersion.MatchString(given) {
			hint = fmt.Sprintf("a version is for -openchrome=container; here, install it: npm install -g %s@%s", packageName, given)
		}
		return nil, fmt.Errorf("package %s: no such file or folder; %s", given, hint)
	}
	dir := given
	if filepath.Base(given) == "index.js" {
		dir = filepath.Dir(filepath.Dir(given))
	}
	return readPackage(dir)
}

var npmVersion = regexp.MustCompile(`^(v?\d+(\.\d+)*([-+][\w.-]+)?|latest|next)$`)

// readPackage reads the package in dir.
func readPackage(dir string) (*nodePackage, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	p := &nodePackage{dir: dir}
	if _, err := os.Stat(p.entry()); err != nil {
		return nil, fmt.Errorf("package %s: it has no %s; build it (npm install && npm run build), or name another folder", dir, filepath.ToSlash(entryFile))
	}
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil, fmt.Errorf("package %s: %w; name the folder that holds package.json and dist", dir, err)
	}
	var manifest struct {
		Version string
		Engines struct{ Node string }
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, fmt.Errorf("package %s: package.json: %w", dir, err)
	}
	p.version, p.engines = manifest.Version, manifest.Engines.Node
	return p, nil
}

// findInstalled returns the globally installed package: the one of the openchrome on
// the PATH, else the one in npm's folder.
func findInstalled(ctx context.Context) (*nodePackage, error) {
	for _, name := range []string{"openchrome", "oc"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			continue
		}
		for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if filepath.Base(dir) == packageName {
				return readPackage(dir)
			}
		}
	}
	if root, err := npmRoot(ctx); err == nil {
		dir := filepath.Join(root, packageName)
		if _, err := os.Stat(dir); err == nil {
			return readPackage(dir)
		}
	}
	return nil, fmt.Errorf("no OpenChrome found; install it (npm install -g %s), or name a folder with a built OpenChrome: -package=<folder>", packageName)
}

// npmTimeout bounds a question to npm, which takes about half a second.
const npmTimeout = 5 * time.Second

func npmRoot(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, npmTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "root", "-g")
	cmd.Env = watchdog.Environ()
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// digest returns "sha256:" and 64 hex digits over package.json and the names
// and contents of all files below dist, in the order of their names.
func (p *nodePackage) digest() (string, error) {
	h := sha256.New()
	add := func(name string) error {
		f, err := os.Open(filepath.Join(p.dir, name))
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%d %s %d\n", len(name), filepath.ToSlash(name), info.Size())
		_, err = io.Copy(h, f)
		return err
	}
	err := add("package.json")
	if err == nil {
		err = filepath.WalkDir(filepath.Join(p.dir, "dist"), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			name, err := filepath.Rel(p.dir, path)
			if err != nil {
				return err
			}
			return add(name)
		})
	}
	if err != nil {
		return "", fmt.Errorf("digest of package %s: %w", p.dir, err)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// findNode returns the path and the version of the Node on the PATH.
func findNode(ctx context.Context) (path, version string, err error) {
	if path, err = exec.LookPath("node"); err != nil {
		return "", "", errors.New("no Node found; install Node.js 20 or newer, so that node is on the PATH")
	}
	ctx, cancel := context.WithTimeout(ctx, npmTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = watchdog.Environ()
	out, err := cmd.Output()
	if err != nil {
		return path, "", fmt.Errorf("%s --version: %w; reinstall Node.js", path, err)
	}
	return path, strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), nil
}

var atLeast = regexp.MustCompile(`^>=\s*(\d+)`)

// checkNode says why a Node of this version cannot run the package. Ranges
// other than ">=N…" are left to Node and npm.
func (p *nodePackage) checkNode(version string) error {
	m := atLeast.FindStringSubmatch(p.engines)
	if m == nil {
		return nil
	}
	major, _, _ := strings.Cut(version, ".")
	have, err := strconv.Atoi(major)
	want, _ := strconv.Atoi(m[1])
	if err != nil || have < want {
		return fmt.Errorf("node %s is too old: OpenChrome %s needs %s; install a newer Node.js", version, p.version, p.engines)
	}
	return nil
}
