package containers

import (
	"encoding/json"
	"testing"

	"github.com/openchrome/bench/harness/event"
)

// The stand-in's binary finds the fixture web in its container as it does when
// it is started as a command.
func TestStandin(t *testing.T) {
	needEngine(t)
	o := options(t)
	o.Server = "./harness/openchrome/standin/cmd/standin"
	s := launch(t, newLauncher(t, o))
	for url, ours := range map[string]bool{"https://example.com/": true, "https://elsewhere.test/": false} {
		args, _ := json.Marshal(map[string]string{"url": url})
		r, err := s.Call(t.Context(), event.Call{Tool: "navigate", Args: args})
		if err != nil {
			t.Fatal(err)
		}
		if r.IsError() == ours {
			t.Errorf("navigate %s: %s; want it to work: %v", url, r.Text(), ours)
		}
	}
	requests, err := s.Requests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(requests) != 1 || requests[0].URL != "https://example.com/" {
		t.Errorf("requests %v, want the one to the fixture host", requests)
	}
}
