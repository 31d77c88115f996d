package observer

import (
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/google/go-cmp/cmp"
)

// Only a change of the machine's network is reported, and only the first request that it ended.
func TestNetworkChange(t *testing.T) {
	o := new(Observer)
	w := &watched{tab: new(tab), requests: make(map[network.RequestID]*request)}
	for _, step := range []struct{ id, errorText, want string }{
		{"a", "net::ERR_CONNECTION_RESET", ""},
		{"b", "net::ERR_NETWORK_CHANGED", `the network of the machine changed, so Chromium gave up "GET https://a.test/b"; run again when no containers start beside it`},
		{"c", "net::ERR_NETWORK_CHANGED", `the network of the machine changed, so Chromium gave up "GET https://a.test/b"; run again when no containers start beside it`},
	} {
		id := network.RequestID(step.id)
		w.requests[id] = &request{method: "GET", url: "https://a.test/" + step.id}
		o.loadingFailed(w, &network.EventLoadingFailed{RequestID: id, ErrorText: step.errorText})
		got := ""
		if err := o.NetworkChange(); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", step.errorText, diff)
		}
	}
}
