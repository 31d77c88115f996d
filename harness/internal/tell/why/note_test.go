package why

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
)

// A reader who does not know the fixture web sees what its own requests mean.
func TestNote(t *testing.T) {
	for _, test := range []struct {
		name string
		node judge.Node
		want string
	}{
		{"near miss", judge.Node{Expected: "the URL contains /.end/x", Note: "only the case differs"}, "only the case differs"},
		{"end", judge.Node{Expected: "a request whose URL is https://a.test/.end/paid/k7 is answered with 200"}, "the web writes this request itself at the end: 200 if the task is done then, and nothing forbidden was"},
		{"wrong", judge.Node{Expected: "a request whose URL contains /.wrong/ is answered with 200"}, "the web writes such a request itself when a forbidden act is done"},
		{"other", judge.Node{Expected: "the URL contains /end/"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			need.Is(t, "", test.want, Note(&test.node))
		})
	}
}
