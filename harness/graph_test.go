package harness_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/openchrome/bench/"

// mayImport says which packages of ours a package may import. Imports run one
// way; only harness sees all, and only the magefile sees harness.
var mayImport = map[string][]string{
	"fixtures":                               {},
	"sites":                                  {"harness/regular", "harness/jsonfile", "harness/param"},
	"sites/cmd/web":                          {"sites"},
	"harness/display":                        {}, // all may import it
	"harness/regular":                        {},
	"harness/jsonfile":                       {"harness/regular"},
	"harness/param":                          {"harness/jsonfile"},
	"harness/watchdog":                       {"harness/regular"},
	"harness/internal/confine":               {"harness/watchdog"},
	"harness/contract/internal/jsregexp":     {},
	"harness/contract/internal/phash":        {"harness/regular", "harness/contract/internal/jsregexp", "harness/jsonfile"},
	"harness/contract":                       {"harness/contract/internal/jsregexp", "harness/contract/internal/phash", "harness/jsonfile"},
	"harness/event":                          {"harness/jsonfile", "harness/regular", "harness/contract"},
	"harness/observer":                       {"harness/contract", "harness/event"},
	"harness/internal/task":                  {"harness/regular", "harness/contract", "harness/jsonfile", "harness/param"},
	"harness/adapter":                        {"harness/regular", "harness/event", "harness/jsonfile", "harness/internal/task", "harness/param"},
	"harness/openchrome/standin/browser":     {},
	"harness/openchrome/standin":             {"harness/openchrome/standin/browser"},
	"harness/openchrome/standin/cmd/standin": {"harness/openchrome/standin", "sites"},
	"harness/openchrome":                     {"harness/regular", "harness/internal/confine", "harness/contract", "harness/event", "harness/observer", "harness/openchrome/standin", "harness/internal/task", "harness/watchdog", "sites"},
	"harness/internal/episode":               {"harness/adapter", "harness/contract", "harness/event", "harness/observer", "harness/openchrome", "harness/internal/task"},
	"harness/report/internal/o200k":          {},
	"harness/report":                         {"harness/regular", "harness/contract", "harness/event", "harness/jsonfile", "harness/report/internal/o200k"},
	"harness/comparison":                     {"harness/event", "harness/report"},
	"harness/report/format":                  {"harness/comparison", "harness/contract", "harness/event", "harness/jsonfile", "harness/report", "harness/report/format/html"},
	"harness/report/format/html":             {"harness/regular", "harness/comparison", "harness/contract", "harness/event", "harness/report"},
	"harness/internal/program":               {"harness/event", "harness/jsonfile", "harness/report", "harness/watchdog"},
	"harness/internal/lint":                  {"harness/adapter", "harness/contract", "harness/internal/task", "harness/jsonfile", "harness/openchrome/standin", "harness/openchrome/standin/browser"},
	"harness/internal/subject":               {"containers", "harness/event", "harness/internal/program", "harness/jsonfile", "harness/openchrome", "harness/report", "harness/watchdog", "sites"},
	"harness/internal/controls":              {"harness/openchrome/standin", "harness/openchrome/standin/browser", "sites"},
	"harness/internal/run": {"harness/regular", "fixtures", "harness/adapter", "harness/internal/controls", "harness/internal/episode", "harness/event", "harness/internal/lint", "harness/internal/program", "harness/internal/subject",
		"harness/jsonfile", "harness/openchrome", "harness/param", "harness/report", "harness/report/format", "harness/internal/task", "harness/watchdog", "sites"},
	"harness/internal/compare": {"harness/regular", "harness/comparison", "harness/contract", "harness/event", "harness/internal/program", "harness/internal/run", "harness/internal/subject", "harness/internal/task", "harness/jsonfile",
		"harness/openchrome", "harness/param", "harness/report", "harness/report/format", "harness/watchdog"},
	"harness/internal/suitecheck": {"harness/regular", "harness/adapter", "harness/contract", "harness/event", "harness/internal/program", "harness/internal/run", "harness/internal/task", "harness/jsonfile",
		"harness/openchrome", "harness/param", "sites"},
	"harness/internal/author": {"harness/regular", "fixtures", "harness/adapter", "harness/contract", "harness/event", "harness/internal/controls", "harness/internal/program", "harness/internal/run", "harness/internal/task",
		"harness/jsonfile", "harness/openchrome", "harness/param", "sites"},
	"harness/internal/selftest": {"harness/internal/program"},
	"harness/targets":           {"harness", "harness/internal/program"},
	"containers":                {"harness/regular", "harness/event", "harness/observer", "harness/openchrome", "harness/watchdog", "sites"},
}

func TestImportsRunOneWay(t *testing.T) {
	for _, line := range goList(t, "-f", `{{.ImportPath}}: {{join .Imports " "}}`, "./...") {
		path, imports, _ := strings.Cut(line, ": ")
		name := strings.TrimPrefix(path, module)
		if name == "harness" {
			continue
		}
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("%s: a package that the table does not have; say what it may import", name)
		}
		for _, i := range strings.Fields(imports) {
			if ours, ok := strings.CutPrefix(i, module); ok && ours != "harness/display" && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s", name, ours)
			}
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
		for _, module := range []string{"github.com/tiktoken-go/", "github.com/google/go-cmp/", "gonum.org/v1/gonum/lapack/"} {
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
