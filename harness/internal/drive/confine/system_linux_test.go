package confine

import (
	"path/filepath"
	"strings"
	"testing"
)

// Folders below /run hold the sockets of services, such as one that resolves names for every program.
// A program can connect to a socket that it sees.
func TestNoSockets(t *testing.T) {
	for _, path := range system {
		if strings.HasPrefix(path, "/run/") && path != "/run/current-system" && filepath.Ext(path) != ".conf" { // a link to the store
			t.Errorf("every program sees %s", path)
		}
	}
}
