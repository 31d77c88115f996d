package watchdog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/text/regular"
)

const kindDir = "dir"

// prefix begins the names of our folders, and folderName matches them.
const prefix = "openchrome-bench-"

var folderName = regexp.MustCompile(`^` + prefix + `[0-9a-f]+$`)

// Each of our folders holds two things: the proof that it is ours, and the inner folder
// that [TempDir] returns. Programs that run in the inner folder need no access to the
// proof.
const (
	proofFile = "owner.json"
	innerDir  = "s"
)

// maxInner bounds the path of the inner folder. Every system allows 103 bytes for the
// path of a socket, and the longest name of Chromium 156, with its slash, takes 47:
// t/org.chromium.Chromium.XXXXXX/SingletonSocket.
const maxInner = 103 - 47

// tempBases returns the folders in which our folders are. New folders go into the first,
// which is TMPDIR unless its path is too long. The other may hold older folders.
func tempBases() ([]string, error) {
	tmp, err := filepath.Abs(os.TempDir())
	if err != nil {
		return nil, err
	}
	switch inner := filepath.Join(tmp, prefix+"ffffffff", innerDir); {
	case shortBase == "" || tmp == shortBase:
		return []string{tmp}, nil
	case len(inner) > maxInner:
		return []string{shortBase, tmp}, nil
	default:
		return []string{tmp, shortBase}, nil
	}
}

// TempDir makes an empty folder that only this user can read. The folder is in
// [os.TempDir], or in /tmp if the path of TMPDIR is too long for sockets. Call remove to
// remove it. If this process dies first, the watchdog removes it.
func TempDir() (dir string, remove func() error, err error) {
	top, remove, err := newDir(Guard)
	return filepath.Join(top, innerDir), remove, err
}

// BriefDir is [TempDir] for a few milliseconds: it starts no watchdog, whose process costs more
// than that. If this process dies first, the [Sweep] of a later run removes the folder.
func BriefDir() (dir string, remove func() error, err error) {
	unguarded := func(string, string) func() { return func() {} }
	top, remove, err := newDir(unguarded)
	return filepath.Join(top, innerDir), remove, err
}

func newDir(guard func(kind, arg string) (release func())) (top string, remove func() error, err error) {
	bases, err := tempBases()
	release := func() {}
	if err == nil {
		top = filepath.Join(bases[0], fmt.Sprintf("%s%08x", prefix, rand.Uint32()))
		release = guard(kindDir, top) // before the folder is there: it is never left
		err = os.Mkdir(top, 0o700)
	}
	if err == nil {
		if err = fill(top); err != nil {
			os.RemoveAll(top)
		}
	}
	if err != nil {
		release()
		return "", nil, fmt.Errorf("temporary folder: %w; set TMPDIR to a writable folder with free space", err)
	}
	return top, func() error {
		if err := removeDir(top); err != nil {
			return err // the guard stays
		}
		release()
		return nil
	}, nil
}

func fill(top string) error {
	text, err := json.Marshal(proof{filepath.Base(top), Self()})
	if err == nil {
		err = os.WriteFile(filepath.Join(top, proofFile), text, 0o600)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(top, innerDir), 0o700)
	}
	return err
}

// proof says who owns a folder.
type proof struct {
	Name string `json:"name"` // the folder's name, so that a copy under another name proves nothing
	Owner
}

// maxProof bounds the size of a proof in bytes; a real proof is much smaller.
const maxProof = 4 << 10

// readProof returns the proof in a folder. The error says why the folder is not ours. Our
// folders have names of our form and hold a proof that this user wrote. readProof follows
// no symbolic link.
func readProof(top string) (proof, error) {
	var p proof
	if _, err := named(top); err != nil {
		return p, err
	}
	file := filepath.Join(top, proofFile)
	info, err := os.Lstat(file)
	if err != nil {
		return p, err
	}
	if !info.Mode().IsRegular() || !mine(info) || info.Size() > maxProof {
		return p, fmt.Errorf("%s: not written by this program", file)
	}
	text, err := regular.Read(file, maxProof)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil || p.Name != filepath.Base(top) {
		return p, fmt.Errorf("%s: not written by this program for this folder", file)
	}
	return p, nil
}

// named returns what a folder is. The error says why the folder has not our name or is not of
// this user.
func named(top string) (fs.FileInfo, error) {
	if !filepath.IsAbs(top) || !folderName.MatchString(filepath.Base(top)) {
		return nil, fmt.Errorf("%s: not a folder of this program", top)
	}
	info, err := os.Lstat(top)
	if err == nil && (!info.IsDir() || !mine(info)) {
		err = fmt.Errorf("%s: not a folder of this user", top)
	}
	return info, err
}

// removeTimeout bounds the attempts to remove a folder into which killed processes may
// still write.
const removeTimeout = 3 * time.Second

// removeDir removes one of our folders. Without a proof it removes only an empty one, which a
// process leaves that dies while it makes or removes it.
func removeDir(top string) error {
	if _, err := readProof(top); err != nil {
		if _, unnamed := named(top); errors.Is(unnamed, fs.ErrNotExist) || unnamed == nil && removeEmpty(top) {
			return nil
		}
		return err
	}
	err := removeInner(top)
	tick := time.Tick(20 * time.Millisecond)
	for end := time.Now().Add(removeTimeout); err != nil && time.Now().Before(end); err = removeInner(top) {
		<-tick
	}
	if err != nil {
		return err // keep the proof for the next attempt
	}
	if err := os.Remove(filepath.Join(top, proofFile)); err != nil {
		return err
	}
	return os.Remove(top)
}

// removeEmpty removes a folder that is empty, or holds only an empty proof.
func removeEmpty(top string) bool {
	file := filepath.Join(top, proofFile)
	if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		os.Remove(file)
	}
	return os.Remove(top) == nil
}

// maxDepth is how many folders below each other are removed at a time: RemoveAll has all of them
// open, and a program can make more than we may open.
const maxDepth = 50

// removeInner removes the inner folder, whatever its programs made of it.
func removeInner(top string) error {
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	for {
		err := root.Chmod(innerDir, 0o700)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		entries, err2 := fs.ReadDir(root.FS(), innerDir)
		if err = cmp.Or(err, err2); err != nil || len(entries) == 0 {
			return cmp.Or(err, root.Remove(innerDir))
		}
		for _, e := range entries {
			name := path.Join(innerDir, e.Name())
			if e.IsDir() {
				err = flatten(root, name)
			}
			if err = cmp.Or(err, root.RemoveAll(name)); err != nil {
				return err
			}
		}
	}
}

// flatten opens the folders below name to us, and moves the deep ones up to the inner folder.
func flatten(root *os.Root, name string) error {
	return fs.WalkDir(root.FS(), name, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			err = root.Chmod(name, 0o700)
		}
		if err != nil || !e.IsDir() || strings.Count(name, "/") < maxDepth {
			return err
		}
		return cmp.Or(root.Rename(name, fmt.Sprintf("%s/%08x", innerDir, rand.Uint32())), fs.SkipDir)
	})
}
