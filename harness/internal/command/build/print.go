package build

import (
	"context"
	"fmt"
	"runtime"

	"github.com/openchrome/bench/harness/internal/option"
)

// Print prints which build this is, in a line.
func Print(_ context.Context, v option.Values) error {
	_, err := fmt.Fprintf(v.WithDefaults().Stdout, "openchrome-bench %s, %s %s/%s\n", This(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
