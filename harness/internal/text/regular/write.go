package regular

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// MakeFolder makes base and the folders of name below it, if they are missing, and opens the
// last one. No part of name may be a link, because somebody else could have made it: a run's
// results may be in a folder that others can write to.
func MakeFolder(base, name string) (*os.Root, error) {
	if err := os.MkdirAll(base, 0o755); err != nil {
		return nil, err
	}
	return walk(base, name, func(in *os.Root, part string) error {
		if err := in.Mkdir(part, 0o755); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
}

// OpenFolder is [MakeFolder] for folders that exist.
func OpenFolder(base, name string) (*os.Root, error) {
	return walk(base, name, func(*os.Root, string) error { return nil })
}

func walk(base, name string, prepare func(in *os.Root, part string) error) (*os.Root, error) {
	at, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(name)), "/") {
		above := at
		if err = prepare(above, part); err == nil {
			at, err = openFolder(above, part)
		}
		above.Close()
		if err != nil {
			return nil, whole(above, err)
		}
	}
	return at, nil
}

// whole returns an error of a folder's method with the whole path.
func whole(in *os.Root, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: pe.Op, Path: filepath.Join(in.Name(), pe.Path), Err: pe.Err}
	}
	return err
}

// NewFolder makes a folder and opens it. An existing one is an error.
func NewFolder(in *os.Root, name string) (*os.Root, error) {
	if err := in.Mkdir(name, 0o755); err != nil {
		return nil, whole(in, err)
	}
	return openFolder(in, name)
}

// openFolder opens a folder that is not a link. [os.Root] would follow one that stays inside.
func openFolder(in *os.Root, name string) (*os.Root, error) {
	info, err := in.Lstat(name)
	if err != nil {
		return nil, err
	}
	at := filepath.Join(in.Name(), name)
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder, or is a link", at)
	}
	below, err := in.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if is, err := below.Stat("."); err != nil || !os.SameFile(info, is) {
		below.Close()
		return nil, fmt.Errorf("%s was replaced", at)
	}
	return below, nil
}

// Add writes a new file in a folder. An existing one is an error, whatever it is: somebody who may
// write above the folder could have put another one in its place.
func Add(in *os.Root, name string, data []byte) error {
	f, err := in.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return whole(in, err)
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Temporary returns a name for what is written in place of name. It is hidden and ends with a
// dot and digits.
func Temporary(name string) string { return fmt.Sprintf(".%s.%d", name, rand.Uint64()) }

// Write writes a file below base, and makes the folders above it as [MakeFolder] does. The file
// has a temporary name until it is complete, so that nobody reads a part of it. What has its name
// already must be a regular file.
func Write(base, name string, write func(io.Writer) error) (err error) {
	in, err := MakeFolder(base, filepath.Dir(name))
	if err != nil {
		return err
	}
	defer in.Close()
	last := filepath.Base(name)
	if info, err := in.Lstat(last); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: filepath.Join(base, name), Err: errOther}
	}
	temp := Temporary(last)
	f, err := in.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return whole(in, err)
	}
	w := bufio.NewWriter(f)
	if err = errors.Join(write(w), w.Flush(), f.Close()); err == nil {
		err = in.Rename(temp, last)
	}
	if err != nil {
		in.Remove(temp)
	}
	return err
}

// WriteFile is [Write] for data.
func WriteFile(base, name string, data []byte) error {
	return Write(base, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Create makes a file below base, to append to. An existing file is an error.
func Create(base, name string) (*os.File, error) {
	in, err := MakeFolder(base, filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	f, err := in.OpenFile(filepath.Base(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	return f, whole(in, err)
}

// OpenBelow opens a file below base that exists. No part of name may be a link.
func OpenBelow(base, name string, flag int) (*os.File, error) {
	in, err := OpenFolder(base, filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	f, err := open(filepath.Base(name), flag, in.Lstat, in.OpenFile)
	return f, whole(in, err)
}
