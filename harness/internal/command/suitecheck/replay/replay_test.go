package replay

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
)

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bank</title>`

// stage serves a host that takes one payment, slowly.
func stage(t *testing.T) *Stage {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"index.html":   page + `<a href="/paid">Paid</a><form method="post" action="/pay"><input name="to" required><button disabled>Pay</button></form>`,
		"paid.html":    page + `<form method="post" action="/cancel"><button>Cancel</button></form><form method="post" action="/look"><button>Look</button></form>`,
		"receipt.html": page,
		"_wrong.html":  page,
		"hangs.html":   page,
		"routes.json": `[
			{"method": "POST", "path": "/pay", "when": {"field": {"to": "Ada"}, "first": 1}, "keep": ["to"], "delayMs": 60000, "setCookie": {"who": "Ada"}, "location": "/on"},
			{"method": "POST", "path": "/pay", "wrong": "paid another", "location": "/paid"},
			{"path": "/on", "when": {"cookie": {"who": "Ada"}}, "location": "/paid"},
			{"method": "POST", "path": "/cancel", "set": {"to": ""}, "location": "/paid"},
			{"method": "POST", "path": "/look", "location": "/paid"},
			{"path": "/hangs", "fault": "hang"},
			{"path": "/receipt", "receipt": true, "when": {"state": {"to": {"matches": ".+"}}}}
		]`,
	} {
		at := filepath.Join(dir, "bank.test", name)
		need.Write(t, at, content)
	}
	set, err := web.Open(dir)
	need.OK(t, err)
	s, err := New(set, web.Draw{})
	need.OK(t, err)
	return s
}

var paid = []web.Request{
	{Method: "GET", URL: "https://bank.test/"},
	{Method: "GET", URL: "https://bank.test/hangs"},
	{Method: "POST", URL: "https://bank.test/pay", Type: "application/x-www-form-urlencoded", Body: "to=Ada"},
	{Method: "GET", URL: "https://bank.test/on"},
	{Method: "GET", URL: "https://bank.test/paid"},
}

func seen(log web.Log) (out []string) {
	for _, r := range slices.Concat(log.Requests, log.Own) {
		out = append(out, fmt.Sprint(r.Path, " ", r.Status))
	}
	return out
}

// The requests of an episode have the same effect again, without waiting. Redirects are
// followed with the cookies that came with them, or not followed at all.
func TestPlay(t *testing.T) {
	s := stage(t)
	acts := s.Acts(paid)
	if len(acts) != 3 || acts[2].Silent || !acts[0].Silent {
		t.Fatalf("acts: %+v", acts)
	}
	need.Equal(t, "followed", []string{"/ 200", "/hangs 0", "/pay 303", "/on 303", "/paid 200", "/.end/receipt 200"}, seen(s.Play(acts)))
	acts[2].Silent = true
	need.Equal(t, "silent", []string{"/ 200", "/hangs 0", "/pay 303", "/.end/receipt 200"}, seen(s.Play(acts)))
	if silent := s.Acts(paid[:3]); len(silent) != 3 || !silent[2].Silent {
		t.Errorf("an episode that follows no redirect: %+v", silent)
	}
}

// One more form is sent by each button, also by one that the page disables. Acts that change
// nothing are left out.
func TestForms(t *testing.T) {
	s := stage(t)
	holds := func(l web.Log) bool {
		return !slices.ContainsFunc(l.Own, func(r web.Request) bool { return r.Status != 200 || strings.Contains(r.Path, "wrong") })
	}
	var got []string
	for _, m := range s.Forms(t.Context(), s.Acts(paid), holds) {
		got = append(got, m.Name+": "+m.Sent)
	}
	want := []string{
		"Pay: POST https://bank.test/pay to=", "Pay: POST https://bank.test/pay to=Ada",
		"Cancel: POST https://bank.test/cancel", "Cancel: POST https://bank.test/cancel",
	}
	need.Equal(t, "forms", want, got)
}
