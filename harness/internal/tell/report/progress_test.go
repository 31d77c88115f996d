package report_test

import (
	"fmt"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

func TestNoProgressEpisodes(t *testing.T) {
	type step struct {
		tool    string
		isError bool
		url     string // after the step
	}
	fails := step{tool: "find", isError: true, url: "/"}
	reads := step{tool: "read_page", url: "/"}
	clicks := func(url string) step { return step{tool: "interact", url: url} }
	tests := []struct {
		name  string
		steps []step
		want  int
	}{
		{"none", nil, 0},
		{"two errors", []step{fails, fails}, 0},
		{"three errors", []step{fails, fails, fails}, 1},
		{"a longer row counts once", []step{fails, fails, fails, fails, fails}, 1},
		{"two rows", []step{fails, fails, fails, reads, fails, fails, fails}, 2},
		{"errors of different tools are a row", []step{fails, {tool: "interact", isError: true, url: "/"}, fails}, 1},
		{"three calls that move nothing", []step{reads, reads, reads}, 1},
		{"two and an error between", []step{reads, reads, fails, reads}, 0},
		{"different tools", []step{reads, clicks("/"), reads, clicks("/")}, 0},
		{"each call moves", []step{clicks("/a"), clicks("/b"), clicks("/c"), clicks("/d")}, 0},
		{"moving, then standing still", []step{clicks("/a"), clicks("/b"), clicks("/b"), clicks("/b"), clicks("/b")}, 1},
		{"the call that moved is no part of the row", []step{clicks("/a"), clicks("/b"), clicks("/b"), clicks("/b")}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newScript("r", 1)
			name := s.begin("t", 1)
			s.call(name, 0, "navigate", `{}`, "{}", false)
			for i, step := range test.steps {
				s.call(name, i+1, step.tool, `{}`, fmt.Sprint("answer ", i), step.isError)
				s.add(name, record.ByHarness, &record.Progress{Step: i + 1, URL: step.url})
			}
			s.stop(name, record.Failed, len(test.steps))
			need.Is(t, "", test.want, s.report(t).Episodes.At(0).NoProgressEpisodes)
		})
	}
}
