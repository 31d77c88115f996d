package watchdog

import (
	"os"
	"path/filepath"
	"time"
)

// foreignAge is how old a folder must be before Sweep removes it, if we cannot look up its
// owner.
const foreignAge = 24 * time.Hour

// Sweep removes the temporary folders of owners that died together with their watchdog, and
// returns their names. Only a folder with our proof is ours, whatever its name. If the
// owner ran on this machine since the machine's last start, Sweep looks up its process and
// start time. It cannot look up any other owner, and removes the folder if nothing was put
// into it for a day. Folders of other users stay.
func Sweep() []string {
	var swept []string
	bases, _ := tempBases()
	for _, base := range bases {
		entries, _ := os.ReadDir(base)
		for _, e := range entries {
			top := filepath.Join(base, e.Name())
			if p, err := readProof(top); err == nil && p.over(top) && p.handOn() && removeDir(top) == nil {
				swept = append(swept, top)
			}
		}
	}
	return swept
}

// over reports whether the owner has ended, or the folder is so old that we assume it.
func (p proof) over(top string) bool {
	if p.local() {
		return !Process{Pid: p.Pid, Start: p.Start}.Alive()
	}
	for _, dir := range []string{top, filepath.Join(top, innerDir)} {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) < foreignAge {
			return false
		}
	}
	return true
}

// local reports whether the owner can be looked up.
func (p proof) local() bool { return p.Machine != "" && p.Machine == Machine() && p.Start != 0 }

// GuardOnDisk is [Guard] for things that must be cleaned up even if the watchdog is killed
// too. It writes a note into a temporary folder, and the [Sweep] of a later run makes
// another process call the handler. The error says why the folder cannot be made.
func GuardOnDisk(kind, arg string) (release func(), err error) {
	_, remove, err := newDir(Guard, kind, arg)
	if err != nil {
		return nil, err
	}
	drop := Guard(kind, arg)
	return func() { drop(); remove() }, nil
}

// handOn starts another process that calls the handler for the proof's kind, if the proof
// names one and the owner can be looked up. So this run does not wait for the cleanup of
// another run. handOn reports whether it could start that process.
func (p proof) handOn() bool {
	if p.Kind == "" || !p.local() {
		return true
	}
	o := &owner{held: make(map[int]message)}
	o.add(p.Kind, p.Arg)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pipe == nil {
		return false
	}
	clear(o.held) // so that lost does not start another watchdog
	o.pipe.Close()
	return true
}
