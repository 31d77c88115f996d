package observer

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

// fixtures/README.md names all metrics, with their units, for authors of contracts.
func TestMetricsAreDocumented(t *testing.T) {
	raw := need.Read(t, filepath.Join("..", "..", "..", "..", "fixtures", "README.md"))
	units := make(map[string]string)
	for _, row := range regexp.MustCompile("(?m)^\\| (`(?:puppeteer|navigation|paint|resource)\\..*) \\| (\\w+) \\|$").FindAllStringSubmatch(string(raw), -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			units[strings.Trim(name, "`")] = row[2]
		}
	}
	need.Equal(t, "the metrics in fixtures/README.md", evidence.Metrics, units)
}
