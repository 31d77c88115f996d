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
// into it for a day. An empty folder with our name is one whose owner died while it made or
// removed it, a minute later. Folders of other users stay.
func Sweep() []string {
	var swept []string
	bases, _ := tempBases()
	for _, base := range bases {
		entries, _ := os.ReadDir(base)
		for _, e := range entries {
			top := filepath.Join(base, e.Name())
			p, err := readProof(top)
			if (err == nil && p.over(top) || err != nil && abandoned(top)) && removeDir(top) == nil {
				swept = append(swept, top)
			}
		}
	}
	return swept
}

// over reports whether the owner has ended, or the folder is so old that we assume it.
func (p proof) over(top string) bool {
	if p.Known() {
		return p.Dead()
	}
	for _, dir := range []string{top, filepath.Join(top, innerDir)} {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) < foreignAge {
			return false
		}
	}
	return true
}

func abandoned(top string) bool {
	info, err := named(top)
	return err == nil && time.Since(info.ModTime()) > time.Minute
}
