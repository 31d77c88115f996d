package choose

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// launchAuto takes the first kind that works.
func launchAuto(ctx context.Context, o Options, w webOptions, say lines) (*Chosen, error) {
	var not []string
	var all error
	for _, k := range kinds {
		if !k.auto {
			continue
		}
		one := o
		one.Server = k.name
		err := one.Check(1)
		var l *Chosen
		if err == nil {
			l, err = k.launch(ctx, o, w, say)
		}
		if errors.Is(err, ErrStopped) {
			return nil, err
		}
		if err != nil {
			all = errors.Join(all, err)
			not = append(not, fmt.Sprintf("%s does not work: %s", k.name, OneLine(err)))
			continue
		}
		line := "openchrome: chose " + k.name + ", the best that works on this machine"
		if len(not) > 0 {
			line += " (" + strings.Join(not, "; ") + ")"
		}
		say(line)
		return l, nil
	}
	err := fmt.Errorf("-server=auto: no server works on this machine (%s); run %s doctor", strings.Join(not, "; "), display.Program)
	if _, outage := errors.AsType[*session.Outage](all); o.Package != "" && !outage {
		err = &OptionError{err} // the package is probably mistyped
	}
	return nil, err
}

// OneLine shortens an error to its first and last line, because the lines between them
// are the output of a build. The result is safe on a terminal.
func OneLine(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(escapes.ReplaceAllString(line, "")); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > 2 {
		lines = []string{lines[0], "…", lines[len(lines)-1]}
	}
	return display.Visible(strings.Join(lines, " "))
}

// escapes are the colour codes of a terminal.
var escapes = regexp.MustCompile(`\x1b?\[[0-9;]*m`)
