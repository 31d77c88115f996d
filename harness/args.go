package harness

import (
	"fmt"
	"slices"
	"strings"
)

// targets are those of magefile.go; true are those that take options.
var targets = map[string]bool{
	"bench:episode": true, "bench:list": true, "bench:mock": true, "bench:parity": true, "bench:verify": true,
	"container:build": true, "container:clean": false, "contract:judge": true, "doctor": true, "report:show": true,
	"site:serve": true, "task:check": true, "test": false,
}

// checkArgs refuses what mage would only find after a target has run: an option
// of a target that has none, which mage takes for the next target, and a word
// that is no target. args are those of the compiled magefile.
func checkArgs(args []string) error {
	first := slices.IndexFunc(args, func(arg string) bool { _, ok := targets[strings.ToLower(arg)]; return ok })
	if first < 0 || slices.Contains(args[:first], "-h") || slices.Contains(args[:first], "-l") {
		return nil // mage's to answer
	}
	target := ""
	for _, arg := range args[first:] {
		switch _, known := targets[strings.ToLower(arg)]; {
		case known:
			target = strings.ToLower(arg)
		case !strings.HasPrefix(arg, "-"):
			return fmt.Errorf("%q is no target: nothing was run; options of %s are -name=value, see mage -h %[2]s", arg, target)
		case !targets[target]:
			return fmt.Errorf("%s takes no options, and %q is one: nothing was run; see mage -h %[1]s", target, arg)
		}
	}
	return nil
}
