package launch

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// selectors are read on every page beside those that the page has ids for: some
// match, some do not, some are no selectors at all, some hold what OpenChrome
// 1.7.15 trips over.
var selectors = []string{
	"body", "h1", "p", "li", "td", "*", "nav.none", "p:first-of-type", "ul > li:not(.x)",
	`a[href*=";"]`, `[data-word="return"]`, `[title="a;b return c"]`, `[title="it's \"quoted\""]`, `[data-x="ünï 😀"]`, "[data-x=\"a\\a b\"]",
	"li[", "", ";", "return", "p:::x", ">", "__proto__", "constructor",
}

// The facts that the expression reads are what the browser itself says, on
// pages of all sorts; and the stand-in says the same on those that it can show.
func TestFactsAreTheBrowsers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "facts.test")
	pages, err := txtar.ParseFile(filepath.Join("testdata", "plain.txtar"))
	need.OK(t, err)
	need.OK(t, txtar.Write(pages, dir))
	plain, _ := filepath.Glob(filepath.Join(dir, "*.html"))
	own, _ := filepath.Glob("testdata/facts/*.html")
	if len(plain) < 50 || len(own) < 10 {
		t.Fatalf("found %d and %d pages", len(plain), len(own))
	}
	for _, page := range own {
		need.Write(t, filepath.Join(dir, filepath.Base(page)), need.Read(t, page))
	}
	large := "<!doctype html><meta charset=utf-8><title>large</title><link rel=icon href=\"data:,\"><h1>Large</h1><p>" + strings.Repeat("word ünï ", 1<<17) + "</p>"
	need.Write(t, filepath.Join(dir, "large.html"), large)
	set, err := web.Open(filepath.Dir(dir))
	need.OK(t, err)
	chromium := newDevtools(t, set)
	for _, page := range slices.Concat(plain, own, []string{"large.html"}) {
		name := strings.TrimSuffix(filepath.Base(page), ".html")
		t.Run(name, func(t *testing.T) {
			url := "https://facts.test/" + name
			list := selectors
			if !slices.Contains(own, page) {
				list = append(idSelectors(page), selectors...)
			}
			chromium.open(t, url)
			var read string
			chromium.evaluate(t, evidence.Expression(list, list), &read)
			var got seen
			need.OK(t, json.Unmarshal([]byte(read), &got))
			want := askEach(t, chromium, list)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the expression is not what the browser says (-browser +expression):\n%s", diff)
			}
			if slices.Contains(own, page) {
				return // pages with scripts and the like: for a browser only
			}
			standin := standinFacts(t, set, url, list)
			// Only the wording of an invalid selector's error may be another.
			if diff := cmp.Diff(want, standin, cmpopts.IgnoreFields(seen{}, "Errors")); diff != "" {
				t.Errorf("the stand-in says something else (-browser +stand-in):\n%s", diff)
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(want.Errors)), slices.Sorted(maps.Keys(standin.Errors))); diff != "" {
				t.Errorf("invalid selectors (-browser +stand-in):\n%s", diff)
			}
		})
	}
}

// seen is what the expression returns, comparable.
type seen struct {
	URL    string
	Text   map[string]*string
	Count  map[string]float64
	Errors map[string]string
}

// askEach asks the browser for one selector after the other.
func askEach(t *testing.T, d *devtools, list []string) seen {
	t.Helper()
	want := seen{Text: map[string]*string{}, Count: map[string]float64{}, Errors: map[string]string{}}
	d.evaluate(t, "location.href", &want.URL)
	for _, s := range list {
		quoted, _ := json.Marshal(s)
		var one struct {
			Text, TextError, CountError *string
			Count                       *float64
		}
		d.evaluate(t, fmt.Sprintf(`(() => {
			const s = %s, one = {};
			try { const e = document.querySelector(s); one.Text = e && e.innerText !== undefined ? e.innerText : null } catch (e) { one.TextError = e.message }
			try { one.Count = document.querySelectorAll(s).length } catch (e) { one.CountError = e.message }
			return one;
		})()`, quoted), &one)
		if one.TextError != nil {
			want.Errors[evidence.TextFact(s)] = *one.TextError
		} else {
			want.Text[s] = one.Text
		}
		if one.CountError != nil {
			want.Errors[evidence.CountFact(s)] = *one.CountError
		} else {
			want.Count[s] = *one.Count
		}
	}
	return want
}

func standinFacts(t *testing.T, set *web.Set, url string, list []string) seen {
	t.Helper()
	ca, err := serve.NewCA(set.Hosts()...)
	need.OK(t, err)
	l, err := NewStandin(StandinOptions{Sites: set, CA: ca})
	need.OK(t, err)
	s, err := l.Launch(t.Context())
	need.OK(t, err)
	defer s.Close()
	args, _ := json.Marshal(map[string]string{"url": url})
	r, err := s.Call(t.Context(), adapter.Call{Tool: "navigate", Args: args})
	var tab struct{ TabID string }
	if err != nil || !r.JSON(&tab) {
		t.Fatal(err, r.Text())
	}
	reading, err := facts.Tools{Session: s}.Read(t.Context(), facts.Request{Needs: judge.Needs{Text: list, Count: list}, TabID: tab.TabID})
	need.OK(t, err)
	if !reading.Settled {
		t.Errorf("%s: a page of the stand-in is not settled", url)
	}
	f := reading.Facts
	return seen{URL: *f.URL, Text: f.DOMText.Of, Count: f.DOMCount, Errors: f.Unavailable}
}

var ids = regexp.MustCompile(`\bid=['"]?([\w-]+)`)

// idSelectors returns a selector for each id in the file of a page.
func idSelectors(page string) (list []string) {
	raw, _ := os.ReadFile(page)
	for _, m := range ids.FindAllSubmatch(raw, -1) {
		list = append(list, "#"+string(m[1]))
	}
	return list
}

// The expression has nothing that 1.7.15 loses the value of, whatever a selector
// holds.
func TestFactsExpressionIsOneExpression(t *testing.T) {
	for _, s := range append(selectors, "a\nb", "a\rb", "a\u2028b", "return;return", "rEturn return", "\x00", "\xff", `\`, "'", "`${return}`") {
		code := evidence.Expression([]string{s}, []string{s})
		for _, bad := range []string{";", "\n", "\r", "return", "\u2028"} {
			if strings.Contains(code, bad) {
				t.Errorf("selector %q: the expression holds %q: %s", s, bad, code)
			}
		}
	}
}

// aged is a session whose fixture web was asked an hour ago by its clock.
type aged struct{ scripted }

func (aged) Call(context.Context, adapter.Call) (adapter.Result, error) {
	return adapter.NewResult([]byte(`{"content":[{"type":"text","text":"{\"url\":\"https://example.com/\"}"}]}`)), nil
}

func (aged) Requests(context.Context) (web.Log, error) {
	return web.Log{Requests: []web.Request{{Time: time.Now().Add(-time.Hour), URL: "https://example.com/", Status: 200}}}, nil
}

// All that a session's web was asked for is of its episode, whatever its clock.
func TestAllRequestsAreFacts(t *testing.T) {
	f, err := facts.Tools{Session: aged{}}.Read(t.Context(), facts.Request{TabID: "T", Needs: judge.Needs{Network: true}, Last: time.Now()})
	need.OK(t, err)
	need.Is(t, fmt.Sprintf("facts %+v", f.Facts), 1, len(f.Facts.Network))
}

// scripted is a session whose page answers the facts, and nothing else.
type scripted struct {
	session.Session
	answer string
}

func (s scripted) Tools() []adapter.Tool { return nil }

func (s scripted) Server() *server.Server { return server.OpenChrome() }

func (s scripted) Observer() *observer.Observer { return nil }
func (s scripted) Memory() int64                { return 0 }
func (s scripted) Ping(context.Context) error   { return nil }

func (s scripted) Call(context.Context, adapter.Call) (adapter.Result, error) {
	raw, err := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": s.answer}}})
	return adapter.NewResult(raw), err
}

// Facts are all that was asked for, or none.
func TestFactsAreWhole(t *testing.T) {
	needs := judge.Needs{Text: []string{"h1", "p"}, Count: []string{"li"}}
	for _, test := range []struct{ name, answer, fault string }{
		{"whole", `{"url":"https://a.test/","text":{"h1":"A","p":null},"count":{"li":0},"errors":{}}`, ""},
		{"a selector that is none", `{"url":"https://a.test/","text":{"h1":"A"},"count":{},"errors":{"dom_text p":"bad","dom_count li":"bad"}}`, ""},
		{"nothing", `{}`, "no url"},
		{"nulls", `{"url":null,"text":null,"count":null,"errors":null}`, "no url"},
		{"an empty URL", `{"url":"","text":{"h1":"A","p":null},"count":{"li":0},"errors":{}}`, "no url"},
		{"a URL that is no text", `{"url":{},"text":{"h1":"A","p":null},"count":{"li":0},"errors":{}}`, "did not return the facts"},
		{"only the URL", `{"url":"https://a.test/"}`, `no text, or two answers, for "h1"`},
		{"a text too few", `{"url":"https://a.test/","text":{"h1":"A"},"count":{"li":0},"errors":{}}`, `no text, or two answers, for "p"`},
		{"a text that is a number", `{"url":"https://a.test/","text":{"h1":1,"p":null},"count":{"li":0},"errors":{}}`, "did not return the facts"},
		{"no count", `{"url":"https://a.test/","text":{"h1":"A","p":null},"count":{},"errors":{}}`, `no count, or two answers, for "li"`},
		{"a count that is null", `{"url":"https://a.test/","text":{"h1":"A","p":null},"count":{"li":null},"errors":{}}`, `no count, or two answers, for "li"`},
		{"half an element", `{"url":"https://a.test/","text":{"h1":"A","p":null},"count":{"li":0.5},"errors":{}}`, `the count for "li" is 0.5`},
		{"fewer than none", `{"url":"https://a.test/","text":{"h1":"A","p":null},"count":{"li":-1},"errors":{}}`, `the count for "li" is -1`},
		{"more than a number holds", `{"url":"https://a.test/","text":{"h1":"A","p":null},"count":{"li":1e999},"errors":{}}`, "did not return the facts"},
		{"a text and its error", `{"url":"https://a.test/","text":{"h1":"A","p":null},"count":{"li":0},"errors":{"dom_text h1":"bad"}}`, `no text, or two answers, for "h1"`},
		{"an error without a reason", `{"url":"https://a.test/","text":{"h1":"A"},"count":{"li":0},"errors":{"dom_text p":null}}`, `no text, or two answers, for "p"`},
		{"an error of something else", `{"url":"https://a.test/","text":{"h1":"A","p":null},"count":{"li":0},"errors":{"network":"bad"}}`, `an error for "network", which was not requested`},
	} {
		t.Run(test.name, func(t *testing.T) {
			reading, err := facts.Tools{Session: scripted{answer: test.answer}}.Read(t.Context(), facts.Request{TabID: "T", Needs: needs})
			f := reading.Facts
			if test.fault == "" {
				if err != nil || f.URL == nil || *f.URL != "https://a.test/" || len(f.DOMText.Of)+len(f.DOMCount)+len(f.Unavailable) != 3 {
					t.Errorf("got %+v, error %v", f, err)
				}
			} else if err == nil || !strings.Contains(err.Error(), test.fault) {
				t.Errorf("error %v, want %q", err, test.fault)
			}
		})
	}
}
