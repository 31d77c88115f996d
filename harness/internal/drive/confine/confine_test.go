package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestWithout(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	need.OK(t, err)
	for _, d := range []string{"pkg/dist", "pkg/events", "pkg/a/tasks/b", "pkg/a/c", "home/pkg"} {
		need.OK(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	if err := os.Symlink("pkg", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	tests := []struct {
		name                string
		paths, hidden, want []string
	}{
		{"nothing is hidden", []string{"pkg", "home"}, nil, []string{"pkg", "home"}},
		{"what is not there", []string{"pkg", "nix"}, []string{"nix", ""}, []string{"pkg"}},
		{"within what is shown", []string{"pkg"}, []string{"pkg/events", "pkg/a/tasks"}, []string{"pkg/a/c", "pkg/dist"}},
		{"what is yet to be made", []string{"pkg"}, []string{"link/reports/r"}, []string{"pkg/a", "pkg/dist", "pkg/events"}},
		{"the very folder", []string{"pkg", "home"}, []string{"home"}, []string{"pkg"}},
		{"what is shown within what is hidden", []string{"home/pkg"}, []string{"home"}, []string{"home/pkg"}},
		{"hidden by another name", []string{"pkg"}, []string{"link/events"}, []string{"pkg/a", "pkg/dist"}},
		{"shown by another name", []string{"link"}, []string{"pkg/events"}, []string{"link/a", "link/dist"}},
		{"a beginning is no folder", []string{"pkg"}, []string{"pk"}, []string{"pkg"}},
	}
	in := func(names []string) (paths []string) {
		for _, n := range names {
			if n != "" {
				n = filepath.Join(dir, n)
			}
			paths = append(paths, n)
		}
		return paths
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			need.Equal(t, "", in(tt.want), without(in(tt.paths), in(tt.hidden)))
		})
	}
}

func TestMeansInWords(t *testing.T) {
	for want, m := range map[string]Means{
		"none": {}, "namespaces": {Namespaces: true}, "Landlock 7": {Landlock: 7}, "namespaces and Landlock 7": {Namespaces: true, Landlock: 7},
		"namespaces, a network of its own, Landlock 7 and seccomp": {Namespaces: true, Network: true, Landlock: 7, Seccomp: true},
	} {
		need.Is(t, fmt.Sprintf("%+v", m), want, m.String())
	}
}
