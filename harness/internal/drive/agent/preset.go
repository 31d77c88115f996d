package agent

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed presets
var presetFiles embed.FS

// preset is an agent that people use, as a file in presets describes it: how to start it, and
// where its output says what it did. In args, env and files, {{prompt}}, {{config}}, {{url}},
// {{token}}, {{home}}, {{tmp}} and {{model}} stand for those of an episode, and {{NAME=value}} for
// a variable of the environment or, if that is not set, the value.
type preset struct {
	name       string
	digest     []byte            // what the file says
	Program    string            `json:"program"`
	Install    string            `json:"install"`    // the command that installs it
	Keys       []string          `json:"keys"`       // variables of which it needs one; it gets all that are set
	Passes     []string          `json:"passes"`     // variables that it gets if they are set
	Args       []string          `json:"args"`       // its arguments
	ModelArgs  []string          `json:"modelArgs"`  // these follow if a model is asked for
	Last       []string          `json:"last"`       // and these at the end
	NeedsModel bool              `json:"needsModel"` // it cannot choose one
	Env        map[string]string `json:"env"`
	Files      map[string]string `json:"files"` // by their path in the folder of the episode
	Ports      string            `json:"ports"` // that it needs, unless -agentPorts names others
	said
}

func presets() []*preset {
	var all []*preset
	names, _ := fs.Glob(presetFiles, "presets/*.json")
	for _, name := range names {
		raw, _ := presetFiles.ReadFile(name)
		p := &preset{name: strings.TrimSuffix(filepath.Base(name), ".json"), digest: raw}
		if err := cmp.Or(json.Unmarshal(raw, p), p.compile()); err != nil {
			panic(name + ": " + err.Error()) // a test reads them all
		}
		all = append(all, p)
	}
	return all
}

// modelName is the form of names of models, which stand in arguments and files.
var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$`)

// findPreset returns the preset that a command line names, such as codex or codex:MODEL; nil if it
// names none.
func findPreset(line string) (*preset, string) {
	name, model, _ := strings.Cut(line, ":")
	all := presets()
	i := slices.IndexFunc(all, func(p *preset) bool { return p.name == name })
	if i < 0 {
		return nil, ""
	}
	return all[i], model
}

// check says why the preset cannot be started here; nil if it can.
func (p *preset) check() error {
	var lacks []string
	if _, err := exec.LookPath(p.Program); err != nil {
		lacks = append(lacks, fmt.Sprintf("there is no program %s on the PATH; write %s", p.Program, p.Install))
	}
	isSet := func(name string) bool { return os.Getenv(name) != "" }
	if !slices.ContainsFunc(p.Keys, isSet) {
		lacks = append(lacks, "it has no key; set "+strings.Join(p.Keys, " or "))
	}
	if lacks == nil {
		return nil
	}
	return errors.New(strings.Join(lacks, "; "))
}

// use makes a the agent of the preset.
func (a *Agent) use(p *preset, model string) error {
	switch {
	case model == "" && p.NeedsModel:
		return fmt.Errorf("agent:%s: needs a model; write agent:%[1]s:MODEL", p.name)
	case model != "" && !modelName.MatchString(model):
		return fmt.Errorf("agent:%s: %q is no name of a model", p.name, model)
	}
	if err := p.check(); err != nil {
		return fmt.Errorf("agent:%s: %w", p.name, err)
	}
	path, err := exec.LookPath(p.Program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return err
	}
	a.name, a.model, a.preset, a.command = p.name, model, p, append([]string{path}, p.Args...)
	if model != "" {
		a.command = append(a.command, p.ModelArgs...)
	}
	a.command = append(a.command, p.Last...)
	for _, name := range slices.Concat(p.Keys, p.Passes) {
		if value := os.Getenv(name); value != "" {
			a.env = append(a.env, name+"="+value)
			a.secrets = append(a.secrets, value)
		}
	}
	return nil
}

// mark is a part of a text that an episode fills in.
var mark = regexp.MustCompile(`\{\{([A-Za-z_]+)(?:=([^}]*))?\}\}`)

func fillIn(text string, values map[string]string) string {
	return mark.ReplaceAllStringFunc(text, func(m string) string {
		parts := mark.FindStringSubmatch(m)
		if value, ok := values[parts[1]]; ok {
			return value
		}
		if value := os.Getenv(parts[1]); value != "" {
			return value
		}
		return parts[2]
	})
}

// A Lack is what a preset lacks on this machine.
type Lack struct {
	Preset string
	Err    error // nil: nothing
}

// Presets lists the presets, and what each lacks.
func Presets() (all []Lack) {
	for _, p := range presets() {
		all = append(all, Lack{p.name, p.check()})
	}
	return all
}
