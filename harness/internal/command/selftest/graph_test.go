package selftest

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

const (
	root   = "../../../.."
	module = "github.com/openchrome/bench/"
)

// roomRow matches a row of CONTRIBUTING's table of rooms.
var roomRow = regexp.MustCompile("(?m)^\\| `((?:harness|sites|servers|fixtures|containers)[\\w/]*)` \\|")

// Each package is in a room of CONTRIBUTING's table, and imports only packages of its own room and of
// those above it. Only commands know exit codes: what they use returns errors and values.
func TestImportsRunOneWay(t *testing.T) {
	page := need.Read(t, filepath.Join(root, "docs", "CONTRIBUTING.md"))
	rows := roomRow.FindAllStringSubmatch(string(page), -1)
	room := func(path string) (at int) { // of the longest row that begins the path
		at = -1
		for i, row := range rows {
			if (path == row[1] || strings.HasPrefix(path, row[1]+"/")) && (at < 0 || len(rows[at][1]) < len(row[1])) {
				at = i
			}
		}
		return at
	}
	for _, line := range goList(t, "-f", `{{.ImportPath}}: {{join .Imports " "}}`, "./...") {
		path, imports, _ := strings.Cut(line, ": ")
		at := room(strings.TrimPrefix(path, module))
		if at < 0 {
			t.Errorf("the table of docs/CONTRIBUTING.md has no room for %s", path)
		}
		for _, i := range strings.Fields(imports) {
			if ours, ok := strings.CutPrefix(i, module); ok && room(ours) > at {
				t.Errorf("%s imports %s, whose room is below its own in the table of docs/CONTRIBUTING.md", path, ours)
			}
		}
		const commands = module + "harness/internal/command/"
		if !slices.Contains(strings.Fields(imports), commands+"program") {
			continue
		}
		name := strings.TrimPrefix(path, commands)
		public := path == module+"harness" || path == module+"harness/targets"
		if !public && (name == path || slices.Contains([]string{"choose", "lint"}, name)) {
			t.Errorf("%s imports command/program, which has the exit codes", path)
		}
	}
}

// Mock mode never links an LLM provider: nothing that the program is made of has one in its name. The
// other modules cost much at the first compilation, for which a newcomer waits, or at the start of each
// process, and are needed for tests at most.
func TestWhatIsNotLinked(t *testing.T) {
	deps := goList(t, "-deps", "-tags", "mage", ".", "./harness/cmd/...")
	if !slices.Contains(deps, module+"harness/adapter") {
		t.Fatal("the magefile does not link the adapters: this test looks at the wrong program")
	}
	unwanted := regexp.MustCompile(`(?i)openai|anthropic|genai|generative-ai|vertexai|bedrock|cohere|mistral|` +
		`ollama|langchain|huggingface|groq|deepseek|^github\.com/(dop251/goja|google/go-cmp/)|^gonum\.org/v1/gonum/lapack/`)
	for _, path := range deps {
		if unwanted.MatchString(path) {
			t.Errorf("links %s", path)
		}
	}
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
