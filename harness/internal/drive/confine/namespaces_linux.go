package confine

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// stage is the folder that becomes the new root. Every system has it.
const stage = "/etc"

// tree is a copy of the mounts below a path.
type tree struct {
	path string // with no symbolic link in it
	fd   int
	dir  bool
}

// enter makes a root with only the paths that the orders name, and changes to it.
// The namespaces are new: nothing changes outside.
func (o *orders) enter() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	// Open all of them before the stage covers one.
	links := make(map[string]string)
	var trees []tree
	for _, kind := range []struct {
		paths []string
		attr  uint64
	}{
		{o.Read, unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV},
		{o.Write, unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV},
		{devices, unix.MOUNT_ATTR_NOSUID},
	} {
		for _, path := range kind.paths {
			t, err := openTree(path, kind.attr)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			trees = append(trees, t)
			if t.path != path {
				links[path] = t.path
			}
		}
	}
	if err := unix.Mount("tmpfs", stage, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
		return fmt.Errorf("make a root: %w", err)
	}
	// Sorted, so that a folder comes before the paths below it.
	slices.SortStableFunc(trees, func(a, b tree) int { return strings.Compare(a.path, b.path) })
	for _, t := range trees {
		if err := t.attach(); err != nil {
			return err
		}
	}
	if err := cover(o.Cover); err != nil {
		return err
	}
	for _, from := range slices.Sorted(maps.Keys(links)) {
		if err := link(from, links[from]); err != nil {
			return err
		}
	}
	if err := proc(); err != nil {
		return err
	}
	return pivot()
}

func openTree(path string, attr uint64) (tree, error) {
	where, err := filepath.EvalSymlinks(path)
	if err != nil {
		return tree{}, err
	}
	info, err := os.Stat(where)
	if err != nil {
		return tree{}, err
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, where, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err == nil {
		err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attr})
	}
	if err != nil {
		return tree{}, fmt.Errorf("copy the mount of %s: %w", where, err)
	}
	return tree{where, fd, info.IsDir()}, nil
}

func (t tree) attach() error {
	defer unix.Close(t.fd)
	at := stage + t.path
	if _, err := os.Lstat(at); err != nil {
		dir := at
		if !t.dir {
			dir = filepath.Dir(at)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if !t.dir {
			if err := os.WriteFile(at, nil, 0o644); err != nil {
				return err
			}
		}
	}
	if err := unix.MoveMount(t.fd, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("mount %s: %w", t.path, err)
	}
	return nil
}

// cover mounts an empty file or folder over each of the paths.
func cover(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	empty := map[bool]string{true: stage + "/.folder", false: stage + "/.file"}
	if err := errors.Join(os.Mkdir(empty[true], 0o755), os.WriteFile(empty[false], nil, 0o444)); err != nil {
		return err
	}
	for _, path := range paths {
		info, err := os.Lstat(stage + path)
		if err != nil {
			continue // it is gone, or its folder is not shown
		}
		t, err := openTree(empty[info.IsDir()], unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
		if err != nil {
			return err
		}
		t.path = path
		if err := t.attach(); err != nil {
			return err
		}
	}
	return errors.Join(os.Remove(empty[true]), os.Remove(empty[false]))
}

// link makes a symbolic link from the given name of a path to its real path.
func link(from, to string) error {
	if _, err := os.Lstat(stage + from); err == nil {
		return nil // it exists in a folder that is mounted
	}
	if err := os.MkdirAll(filepath.Dir(stage+from), 0o755); err != nil {
		return err
	}
	return os.Symlink(to, stage+from)
}

// proc mounts /proc, which shows the processes of the namespace.
func proc() error {
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC)
	if !procIsWritable() {
		flags |= unix.MS_RDONLY
	}
	if err := os.Mkdir(stage+"/proc", 0o755); err != nil {
		return err
	}
	if err := unix.Mount("proc", stage+"/proc", "proc", flags, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return os.Symlink("/proc/self/fd", stage+"/dev/fd")
}

// pivot makes the stage the root and unmounts the old root, see pivot_root(2).
func pivot() error {
	if err := unix.MountSetattr(unix.AT_FDCWD, stage, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return err
	}
	if err := os.Chdir(stage); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change root: %w", err)
	}
	return unix.Unmount(".", unix.MNT_DETACH)
}
