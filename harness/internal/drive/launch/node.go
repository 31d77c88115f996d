package launch

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

func findNode(ctx context.Context) (path, version string, err error) {
	if path, err = exec.LookPath("node"); err != nil {
		return "", "", errors.New("no Node found; install Node.js 20.19 or newer, so that node is on the PATH")
	}
	ctx, cancel := context.WithTimeout(ctx, npmTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = watchdog.Environ()
	out, err := cmd.Output()
	if err != nil {
		return path, "", fmt.Errorf("%s --version: %w; reinstall Node.js", path, err)
	}
	return path, strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), nil
}

var nodeRange = regexp.MustCompile(`^(>=|\^)\s*(\d+(?:\.\d+)*)$`)

// checkNode returns an error if a Node of this version cannot run the package. It
// understands ranges such as ">=20" and "^20.19.0", joined by "||". It accepts every other
// range and leaves the check to Node and npm.
func (p *nodePackage) checkNode(version string) error {
	for part := range strings.SplitSeq(p.engines, "||") {
		m := nodeRange.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return nil
		}
		have, want := "v"+version, "v"+m[2]
		if semver.Compare(have, want) >= 0 && (m[1] == ">=" || semver.Major(have) == semver.Major(want)) {
			return nil
		}
	}
	return fmt.Errorf("node %s is not supported: %s %s needs %s; install a newer Node.js", version, p.server.Title, p.version, p.engines)
}
