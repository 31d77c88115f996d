package harness_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/openchrome/bench/"

// The packages of CONTRIBUTING's table import only packages above them. That the table has all
// packages is a test of its own.
func TestImportsRunOneWay(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root(), "docs", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	above := map[string]int{}
	for i, row := range packageRow.FindAllStringSubmatch(string(page), -1) {
		above[row[1]] = i + 1
	}
	for _, line := range goList(t, "-f", `{{.ImportPath}}: {{join .Imports " "}}`, "./...") {
		path, imports, _ := strings.Cut(line, ": ")
		name := strings.TrimPrefix(path, module)
		for _, i := range strings.Fields(imports) {
			if ours, ok := strings.CutPrefix(i, module); ok && above[ours] >= above[name] {
				t.Errorf("%s imports %s, which is not above it in the table of docs/CONTRIBUTING.md", name, ours)
			}
		}
	}
}

// Only commands know exit codes. What they use returns errors and values.
func TestExitCodesAreForCommands(t *testing.T) {
	const commands = module + "harness/internal/command/"
	for _, line := range goList(t, "-f", `{{.ImportPath}}: {{join .Imports " "}}`, "./...") {
		path, imports, _ := strings.Cut(line, ": ")
		if !slices.Contains(strings.Fields(imports), commands+"program") {
			continue
		}
		name := strings.TrimPrefix(path, commands)
		public := path == module+"harness" || path == module+"harness/targets"
		if !public && (name == path || slices.Contains([]string{"subject", "lint", "controls"}, name)) {
			t.Errorf("%s imports command/program, which has the exit codes", path)
		}
	}
}

// Mock mode never links an LLM provider: nothing that the program is made of
// has one in its name.
func TestNoLLMProviderIsLinked(t *testing.T) {
	deps := goList(t, "-deps", "-tags", "mage", ".")
	if !slices.Contains(deps, module+"harness/adapter") {
		t.Fatal("the magefile does not link the adapters: this test looks at the wrong program")
	}
	for _, path := range deps {
		for _, provider := range []string{
			"openai", "anthropic", "genai", "generative-ai", "vertexai", "bedrock", "cohere", "mistral", "ollama", "langchain", "huggingface", "groq", "deepseek",
		} {
			if strings.Contains(strings.ToLower(path), provider) {
				t.Errorf("links %s", path)
			}
		}
	}
}

// The first command compiles all that is linked, and a newcomer waits for it. These modules
// cost much there or at the start of each process, and are needed for tests at most.
func TestWhatIsNotLinked(t *testing.T) {
	for _, path := range goList(t, "-deps", "-tags", "mage", ".") {
		for _, module := range []string{"github.com/dop251/goja", "github.com/google/go-cmp/", "gonum.org/v1/gonum/lapack/"} {
			if strings.HasPrefix(path, module) {
				t.Errorf("links %s", path)
			}
		}
	}
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = root()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
