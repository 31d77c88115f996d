package run

import (
	"reflect"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// Beside the options of a user, a run has settings that only commands set. Nobody compares them,
// so none may change a result.
func TestSettingsChangeNoResult(t *testing.T) {
	because := map[string]string{
		"Values":    "package option tests its fields",
		"Order":     "bench:verify shows that no result depends on it",
		"NoScripts": "the plan lists the tasks",
		"Turn":      "it only makes episodes wait",
		"Parity":    "it only says how to continue",
		"Ready":     "it only counts",
		"Described": "it is what -profile names, whose digest the plan has",
		"Found":     "it is only told",
		"Child":     "it is about who ends the run",
		"lints":     "task:check runs nothing",
		"again":     "it is only printed",
		"Dir":       "a command is found from the folder where the user is",
	}
	fields := reflect.TypeFor[Options]()
	for i := range fields.NumField() {
		if name := fields.Field(i).Name; because[name] == "" {
			t.Errorf("Options.%s: say here why no result depends on it, or make it a row of package option", name)
		}
	}
	need.Is(t, "reasons for", fields.NumField(), len(because))
}
