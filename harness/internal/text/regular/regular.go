// Package regular opens files that users and logs name. It opens only regular files: a named
// pipe would wait for a writer, and a device such as /dev/zero has no end.
//
// It also writes what a run keeps. Below the folder that the user named it follows no link.
// A test of package harness finds other ways of writing.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// errOther is the cause of the error for a pipe, device, socket or folder.
var errOther = errors.New("it is not a regular file")

// Open opens a file for reading. It follows links.
func Open(name string) (*os.File, error) { return open(name, os.O_RDONLY, os.Stat, os.OpenFile) }

// open looks at the file before it opens it, because opening a device can change it. It looks
// again afterwards, because another program could have replaced the file.
func open(name string, flag int, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	info, err := stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errOther}
	}
	f, err := open(name, flag|syscall.O_NONBLOCK, 0) // it does not wait for the other end of a pipe
	if err != nil {
		return nil, err
	}
	is, err := f.Stat()
	if err == nil && !os.SameFile(info, is) {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("it was replaced")}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read returns the content of a file of at most max bytes. An error begins with the name.
func Read(name string, max int) ([]byte, error) {
	f, err := Open(name)
	return named(f, err, name, max)
}

// ReadIn is [Read] for a file in a folder. It does not follow a link at the end of name.
func ReadIn(root *os.Root, name string, max int) ([]byte, error) {
	f, err := open(name, os.O_RDONLY, root.Lstat, root.OpenFile)
	return named(f, err, name, max)
}

// named reads a file, unless it could not be opened.
func named(f *os.File, err error, name string, max int) (data []byte, _ error) {
	if err == nil {
		data, err = all(f, max)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, Cause(err))
	}
	return data, nil
}

// Cause returns err without the path of a file, for a message that already names it.
func Cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// ReadFS is [Read] for a file of fsys. Its own errors do not name the file.
func ReadFS(fsys fs.FS, name string, max int) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errOther
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	return all(f, max)
}

// all does not trust a small size that the file system reports, because files in /proc report
// 0.
func all(f fs.File, max int) ([]byte, error) {
	defer f.Close()
	tooLarge := fmt.Errorf("it is larger than %d bytes", max)
	if info, err := f.Stat(); err == nil && info.Size() > int64(max) {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(max)+1))
	if err == nil && len(data) > max {
		return nil, tooLarge
	}
	return data, err
}
