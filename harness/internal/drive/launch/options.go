package launch

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/openchrome/bench/harness/internal/drive/session"
)

var optionName = regexp.MustCompile(`(?m)^\s+(?:-\w, )?(--[a-z][a-z-]*)`)

// knownOptions returns the optional arguments that the server has, as its help says: an unknown one
// would end it.
func (l *localLauncher) knownOptions(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, session.LaunchTimeout)
	defer cancel()
	network, err := l.means.NewNetwork()
	if err != nil {
		return nil, err
	}
	defer network.Close()
	args := append([]string{l.entry}, l.Server.Start.Help...)
	help, err := Try(ctx, l.confined(network, []uint16{}), l.serverEnv, l.Server.Title, l.tools.Node, args...)
	if err != nil {
		return nil, fmt.Errorf("%w; is it built, with its dependencies (npm install)?", err)
	}
	var known, options []string
	for _, m := range optionName.FindAllStringSubmatch(help, -1) {
		known = append(known, m[1])
	}
	for _, w := range l.Server.Start.Optional {
		if slices.Contains(known, w[0]) {
			options = append(options, w...)
		}
	}
	return options, nil
}
