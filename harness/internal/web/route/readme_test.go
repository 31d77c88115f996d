package route

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// README.md names every header, key and condition.
func TestReadmeNamesKeys(t *testing.T) {
	text := need.Read(t, "../../../../sites/README.md")
	for _, name := range denied {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("README.md does not list the header %s", name)
		}
	}
	d := &routeReader{r: new(Route)}
	for _, key := range append(d.keys(), d.conditions()...) {
		if !strings.Contains(string(text), "| `"+key.Name+"` |") && !strings.Contains(string(text), "| `\""+key.Name+"\":") {
			t.Errorf("README.md has no row for %q", key.Name)
		}
	}
}
