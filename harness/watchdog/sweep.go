package watchdog

import (
	"os"
	"path/filepath"
	"time"
)

// foreignAge is the age from which Sweep removes a folder whose owner we cannot look up.
const foreignAge = 24 * time.Hour

// Sweep removes the temporary folders of owners that died together with their
// watchdog, and returns their names. Only a folder with our proof is ours, whatever
// its name. If the owner ran on this machine since its last start, Sweep looks up
// its process and start time. It cannot look up any other owner; then it removes the
// folder when nothing was put into it for a day. Folders of other users stay.
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

// over reports whether the owner has ended, as far as we can know.
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
// too. It writes a note into a temporary folder, and the [Sweep] of a later run has the
// handler called. The error says why the folder cannot be made.
func GuardOnDisk(kind, arg string) (release func(), err error) {
	_, remove, err := newDir(kind, arg)
	if err != nil {
		return nil, err
	}
	drop := Guard(kind, arg)
	return func() { drop(); remove() }, nil
}

// handOn has the handler of the proof's kind called, if it names one and the owner
// can be looked up. Another process calls it at once, so that this run does not wait
// for the remains of another. handOn reports whether it could start that process.
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
	clear(o.held) // so that lost starts no other watchdog
	o.pipe.Close()
	return true
}
