package observer

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
	want := map[string]string{"paint.first-paint": "ms", "paint.first-contentful-paint": "ms"} // the browser's names
	for name, unit := range metricUnits {
		want["puppeteer."+name] = unit
	}
	for _, m := range regexp.MustCompile(`add\(navigation, "(\w+)"`).FindAllStringSubmatch(timingScript, -1) {
		want["navigation."+m[1]] = "ms"
	}
	want["resource.totalResources"], want["resource.totalSize"] = "count", "bytes"
	need.Equal(t, "the metrics in fixtures/README.md", want, units)
}
