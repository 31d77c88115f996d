package launch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// maxRemembered is the largest file of remembered options, in bytes.
const maxRemembered = 64 << 10

// knownOptions returns the optional arguments that the server has: an unknown one would
// end it. It asks the server for its help once for each content of the package, and
// remembers the answer in the user's cache folder: the help takes as long as a start.
func (l *localLauncher) knownOptions(ctx context.Context) ([]string, error) {
	remembered := l.rememberedOptions()
	var known []string
	raw, err := regular.Read(remembered, maxRemembered)
	if err != nil || json.Unmarshal(raw, &known) != nil {
		if known, err = l.askOptions(ctx); err != nil {
			return nil, err
		}
		remember(remembered, known)
	}
	var options []string
	for _, w := range l.Server.Start.Optional {
		if slices.Contains(known, w[0]) {
			options = append(options, w...)
		}
	}
	return options, nil
}

// rememberedOptions is the file with the options of the package; empty if there is no
// place for it.
func (l *localLauncher) rememberedOptions() string {
	cache, err := os.UserCacheDir()
	_, digest, ok := strings.Cut(l.digest, ":")
	if err != nil || !ok {
		return ""
	}
	return filepath.Join(cache, "openchrome-bench", "options", digest+".json")
}

// remember writes the options to a file. If it cannot, the next run asks again.
func remember(name string, known []string) {
	if raw, err := json.Marshal(known); err == nil && name != "" {
		regular.WriteFile(filepath.Dir(name), filepath.Base(name), raw)
	}
}

var optionName = regexp.MustCompile(`(?m)^\s+(?:-\w, )?(--[a-z][a-z-]*)`)

func (l *localLauncher) askOptions(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, session.LaunchTimeout)
	defer cancel()
	dir, remove, err := watchdog.TempDir()
	if err != nil {
		return nil, err
	}
	defer remove()
	if err := MakeSessionDir(dir); err != nil {
		return nil, err
	}
	var stderr session.Tail
	cmd := exec.CommandContext(ctx, l.tools.Node, append([]string{l.entry}, l.Server.Start.Help...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, l.serverEnv(dir), &stderr
	l.confined(nil, []uint16{}).apply(cmd, dir)
	watchdog.Lead(cmd)
	help, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s; is it built, with its dependencies (npm install)?", l.entry, strings.Join(l.Server.Start.Help, " "), err, stderr.LastLine())
	}
	known := []string{}
	for _, m := range optionName.FindAllSubmatch(help, -1) {
		known = append(known, string(m[1]))
	}
	return known, nil
}
