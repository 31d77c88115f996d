package route_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web/route"
)

// A session that misses its receipt learns which request was to blame, and why.
func TestWhy(t *testing.T) {
	const pay = `{"method": "POST", "path": "/pay", "when": {"field": {"to": "Ada"}, "first": 1}, "set": {"paid": "yes"}, "location": "/paid"},
		{"method": "POST", "path": "/pay", "when": {"field": {"to": "Ada"}}, "wrong": "paid twice", "location": "/paid"},
		{"method": "POST", "path": "/pay", "wrong": "paid another person", "location": "/paid"},
		{"path": "/end", "receipt": true, "when": {"state": {"paid": "yes"}}, "status": 410}`
	const note = `{"method": "POST", "path": "/note", "keep": ["note"], "location": "/"},
		{"method": "POST", "path": "/print", "when": {"state": {"note": "ring"}}, "set": {"printed": "yes"}, "location": "/"},
		{"method": "POST", "path": "/print", "location": "/"},
		{"method": "POST", "path": "/stop", "set": {"printed": ""}, "location": "/"},
		{"path": "/end", "receipt": true, "when": {"state": {"printed": "yes", "note": "ring"}}, "status": 410}`
	const list = `{"method": "POST", "path": "/archive", "when": {"empty": ["id"]}, "location": "/"},
		{"method": "POST", "path": "/archive", "when": {"field": {"id": "2"}, "first": 1}, "status": 503},
		{"method": "POST", "path": "/archive", "rows": [{"do": "change", "in": "mail", "where": {"id": {"from": "field.id"}}, "set": {"folder": "old"}}], "location": "/"},
		{"path": "/end", "receipt": true, "when": {"rows": [{"in": "mail", "where": {"folder": "old"}, "count": 2}]}, "status": 410}`
	const count = `{"method": "POST", "path": "/next", "add": {"done": 1}, "location": "/"},
		{"path": "/end", "receipt": true, "when": {"state": {"done": "2"}}, "status": 410}`
	const session = `{"method": "POST", "path": "/login", "set": {"in": "1"}, "location": "/"},
		{"method": "POST", "path": "/settings", "when": {"field": {"language": "ga"}, "state": {"in": "1"}}, "keep": ["language"], "location": "/"},
		{"method": "POST", "path": "/settings", "location": "/"},
		{"method": "POST", "path": "/logout", "set": {"in": "", "left": "1"}, "location": "/"},
		{"path": "/end", "receipt": true, "when": {"state": {"in": "", "left": "1", "language": "ga"}}, "status": 410}`
	field := func(name, wanted, got string, absent bool) []record.Unmet {
		value, _ := strconv.Unquote(wanted) // empty if that is another sentence
		return []record.Unmet{{Of: "field", Name: name, Wanted: wanted, Got: got, Absent: absent, Value: value}}
	}
	tests := []struct {
		name, routes string
		sent         []string
		want         record.Missed
	}{
		{"nothing", pay, nil, record.Missed{Kind: record.MissedUnsent, Wanted: "POST /pay"}},
		{"another form", pay, []string{"/news a=1"}, record.Missed{Kind: record.MissedUnsent, Wanted: "POST /pay", Sent: "POST /news"}},
		{"another value", pay, []string{"/pay to=Bo"}, record.Missed{Kind: record.MissedValue, Wanted: "POST /pay", Sent: "POST /pay", Unmet: field("to", `"Ada"`, "Bo", false), Wrong: "paid another person"}},
		{"no value", pay, []string{"/pay a=1"}, record.Missed{Kind: record.MissedValue, Wanted: "POST /pay", Sent: "POST /pay", Unmet: field("to", `"Ada"`, "", true), Wrong: "paid another person"}},
		{"twice", pay, []string{"/pay to=Ada", "/pay to=Ada"}, record.Missed{Kind: record.MissedAgain, Wanted: "POST /pay", Sent: "POST /pay", Wrong: "paid twice"}},
		{"too early", note, []string{"/print a=1"}, record.Missed{Kind: record.MissedUnsent, Wanted: "POST /note", Sent: "POST /print", Early: "POST /print"}},
		{"another value before", note, []string{"/note note=knock", "/print a=1"}, record.Missed{Kind: record.MissedValue, Wanted: "POST /note", Sent: "POST /note", Unmet: field("note", `"ring"`, "knock", false), Early: "POST /print"}},
		{"undone", note, []string{"/note note=ring", "/print a=1", "/stop a=1"}, record.Missed{Kind: record.MissedUndone, Sent: "POST /stop", Unmet: []record.Unmet{{Of: "state", Name: "printed", Wanted: `"yes"`, Value: "yes"}}}},
		{"undone by another value", note, []string{"/note note=ring", "/print a=1", "/note note=no"}, record.Missed{Kind: record.MissedValue, Wanted: "POST /note", Sent: "POST /note", Unmet: field("note", `"ring"`, "no", false)}},
		{"an empty field", list, []string{"/archive id="}, record.Missed{Kind: record.MissedValue, Wanted: "POST /archive", Sent: "POST /archive", Unmet: field("id", "a text", "", false)}},
		{"a planned failure", list, []string{"/archive id=1", "/archive id=2"}, record.Missed{Kind: record.MissedFailed, Wanted: "POST /archive", Sent: "POST /archive", Status: 503}},
		{"a row too few", list, []string{"/archive id=1"}, record.Missed{Kind: record.MissedState, Sent: "POST /archive", Unmet: []record.Unmet{{Of: "row 2 of mail", Name: "folder", Wanted: `"old"`, Got: "in"}}}},
		{"not done again, beside a value", session, []string{"/login a=1", "/settings a=1"}, record.Missed{Kind: record.MissedValue, Wanted: "POST /settings", Sent: "POST /settings", Unmet: field("language", `"ga"`, "", true)}},
		{"not done again", session, []string{"/login a=1", "/settings language=ga"}, record.Missed{Kind: record.MissedUnsent, Wanted: "POST /logout", Sent: "POST /settings"}},
		{"done and undone", session, []string{"/login a=1", "/settings language=ga", "/logout a=1", "/login a=1"}, record.Missed{Kind: record.MissedUndone, Sent: "POST /login", Unmet: []record.Unmet{{Of: "state", Name: "in", Wanted: `""`, Got: "1"}}}},
		{"a time too few", count, []string{"/next a=1"}, record.Missed{Kind: record.MissedState, Sent: "POST /next", Unmet: []record.Unmet{{Of: "state", Name: "done", Wanted: `"2"`, Value: "2", Got: "1"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start, faults := route.ParseState([]byte(`{"mail": [{"id": "1", "folder": "in"}, {"id": "2", "folder": "in"}]}`), "state.json", nil)
			need.None(t, faults)
			routes, faults := route.Parse([]byte("["+tt.routes+"]"), "routes.json", route.Host{Start: start, HasFile: func(string) bool { return true }, HasPage: func(string) bool { return true }})
			need.None(t, faults)
			now, hits := start, map[*route.Route]int{}
			var past []route.Act
			for i, sent := range tt.sent {
				path, body, _ := strings.Cut(sent, " ")
				form, err := url.ParseQuery(body)
				need.OK(t, err)
				q := &route.Request{Method: "POST", Path: path, Sent: form, Joined: map[string]string{}}
				for name := range form {
					q.Joined[name] = form.Get(name)
				}
				a := route.Act{Request: q, At: time.Unix(int64(i), 0), Before: now, After: now}
				for _, r := range routes {
					if !r.Matches(q, now) || r.First > 0 && hits[r] == r.First {
						continue
					}
					hits[r]++
					a.By = r
					if a.After, err = r.Change(q, now); err != nil {
						t.Fatal(err)
					}
					break
				}
				now = a.After
				past = append(past, a)
			}
			got := route.Why(routes, past, now, routes[len(routes)-1])
			need.Equal(t, "", tt.want, got, cmpopts.IgnoreFields(record.Missed{}, "At"))
		})
	}
}
