package record

import (
	"cmp"
	"fmt"
	"strings"
)

// Harness is the build of this program that measured. What could not be known is [Unknown].
type Harness struct {
	Version string `json:"version"`
	// Commit is the git commit that the program was compiled of, with [Dirty] if its sources
	// had changes that were not committed.
	Commit string `json:"commit"`
}

// Unknown is a version or commit that is not known, and Dirty the end of a commit.
const (
	Unknown = "unknown"
	Dirty   = "+dirty"
)

// String describes the build in a line.
func (h Harness) String() string {
	if h == (Harness{}) {
		return Unknown
	}
	return fmt.Sprintf("%s, commit %s", cmp.Or(h.Version, Unknown), cmp.Or(h.Commit, Unknown))
}

func known(s string) bool { return s != "" && s != Unknown }

// Differs says in words how two builds differ; empty if they are the same. If certain is
// false, they may be the same: one of them is not known, or both have uncommitted changes.
func (h Harness) Differs(other Harness) (words string, certain bool) {
	// The commit of a dependency of another module is short.
	short := func(s string) string { return s[:min(len(s), 12)] + s[len(strings.TrimSuffix(s, Dirty)):] }
	differ := func(a, b string) bool { return known(a) && known(b) && short(a) != short(b) }
	switch words = fmt.Sprintf("harness: %s and %s", h, other); {
	case differ(h.Version, other.Version), differ(h.Commit, other.Commit):
		return words, true
	case known(h.Commit) && known(other.Commit) && !strings.HasSuffix(h.Commit, Dirty):
		return "", false
	}
	return words + "; it is not known whether they are the same build", false
}
