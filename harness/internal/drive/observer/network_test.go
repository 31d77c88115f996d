package observer

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
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
		need.Equal(t, fmt.Sprintf("after %s", step.errorText), step.want, got)
	}
}

// Pages that send more requests than there is room for are judged on the first ones, and the
// facts say that others are missing.
func TestFullLog(t *testing.T) {
	for _, test := range []struct {
		name, url string
		ends      bool // each request ends before the next one is sent
		want      int
	}{
		{"under way at the same time", "https://a.test/", false, maxRequests},
		{"one after the other", "https://a.test/", true, maxRequests},
		{"long", "https://a.test/?" + strings.Repeat("q", 30<<10), true, 136},
	} {
		o := new(Observer)
		w := &watched{tab: new(tab), requests: make(map[network.RequestID]*request)}
		for i := range test.want + 1 {
			var before, after evidence.Facts
			id := network.RequestID(strconv.Itoa(i))
			if i == test.want {
				o.readNetwork(&before)
			}
			o.requestSent(w, &network.EventRequestWillBeSent{RequestID: id, Request: &network.Request{URL: test.url}})
			if test.ends {
				delete(w.requests, id)
			}
			if i < test.want {
				continue
			}
			o.readNetwork(&after)
			if len(after.Network) != test.want || before.NetworkFull || !after.NetworkFull || after.Unavailable != nil {
				t.Errorf("%s: %d requests, full %v, then %v: %v", test.name, len(after.Network), before.NetworkFull, after.NetworkFull, after.Unavailable)
			}
		}
	}
}
