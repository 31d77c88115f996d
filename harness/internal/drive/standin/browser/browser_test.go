package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/need"
)

// roundTripper makes a function a RoundTripper and notes the requests.
type roundTripper struct {
	answer func(w http.ResponseWriter, r *http.Request)
	seen   []string
}

func (rt *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	rt.seen = append(rt.seen, strings.TrimSpace(r.Method+" "+withoutFragment(r.URL)+" "+string(body)))
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	rt.answer(w, r)
	res := w.Result()
	res.Request = r
	return res, nil
}

func open(t *testing.T, rt *roundTripper, raw string) *Browser {
	t.Helper()
	b := New(rt)
	need.OK(t, b.Open(t.Context(), parse(t, raw)))
	return b
}

func parse(t testing.TB, raw string) *url.URL {
	t.Helper()
	u, err := Resolve(&url.URL{}, raw)
	need.OK(t, err)
	return u
}

func click(t *testing.T, b *Browser, selector string) {
	t.Helper()
	found, err := Query(b.Page().Doc, selector)
	if err != nil || len(found) == 0 {
		t.Fatalf("All(%q) = %v, %v", selector, found, err)
	}
	if err := b.Click(t.Context(), found[0]); err != nil {
		t.Fatalf("Click(%q): %v", selector, err)
	}
}

// A redirect keeps or drops method and body as browsers do.
func TestRedirectOfPost(t *testing.T) {
	for code, want := range map[int]string{
		301: "GET https://a.test/to", 302: "GET https://a.test/to", 303: "GET https://a.test/to",
		307: "POST https://a.test/to x=1", 308: "POST https://a.test/to x=1",
	} {
		rt := &roundTripper{answer: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/post" {
				w.Header().Set("Location", "to#f")
				w.WriteHeader(code)
				return
			}
			fmt.Fprint(w, "<form method=post action=/post><input name=x value=1><button>Go</button></form>")
		}}
		b := open(t, rt, "https://a.test/")
		click(t, b, "button")
		need.Is(t, fmt.Sprintf("%d: last request", code), want, rt.seen[len(rt.seen)-1])
		need.Is(t, fmt.Sprintf("%d: URL", code), "https://a.test/to#f", b.Page().URL.String())
	}
}

func TestForms(t *testing.T) {
	for _, row := range []struct{ name, form, want string }{
		{"get replaces the query", `<form action="/s?old=1#x"><input name=q value="a b&c~*"><button name=b value=1>`, "GET https://a.test/s?q=a+b%26c%7E*&b=1"},
		{"get without entries", `<form action=/s><button>`, "GET https://a.test/s?"},
		{"no action is the page", `<form><input name=q value=1><button>`, "GET https://a.test/p?q=1"},
		{"what is not sent", `<form action=/s><input value=noname><input name=d value=1 disabled><input type=checkbox name=c><input type=submit name=other value=1><select name=s><option disabled>x</select><button>`, "GET https://a.test/s?"},
		{"what is sent", `<form action=/s><input type=hidden name=h value=1><input type=checkbox name=c checked><textarea name=t>
l1
l2</textarea><select name=s><option>One  two<option value=v selected></select><select multiple name=m><option selected>1<option selected>2</select><input type=file name=f><button>`, "GET https://a.test/s?h=1&c=on&t=l1%0D%0Al2&s=v&m=1&m=2&f="},
		{"the first option that can be", `<form action=/s><select name=s><option disabled>x<option>y<option>z</select><button>`, "GET https://a.test/s?s=y"},
		{"required", `<form action=/s><input name=n required><button>`, ""},
		{"novalidate", `<form action=/s novalidate><input name=n required><button>`, "GET https://a.test/s?n="},
		{"required radio", `<form action=/s><input type=radio name=r required><input type=radio name=r><button>`, ""},
		{"required select", `<form action=/s><select name=s required><option value="">choose<option>x</select><button>`, ""},
		{"email", `<form action=/s><input type=email name=e value=a@b..c><button>`, ""},
		{"disabled button", `<form action=/s><button disabled>`, ""},
		{"plain button", `<form action=/s><button type=button>`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			rt := &roundTripper{answer: func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, row.form) }}
			b := open(t, rt, "https://a.test/p?x#y")
			click(t, b, "button")
			want := []string{"GET https://a.test/p?x"}
			if row.want != "" {
				want = append(want, row.want)
			}
			need.Equal(t, "requests", want, rt.seen)
		})
	}
}

func TestClickRefuses(t *testing.T) {
	for page, want := range map[string]string{
		"<form><input type=url value=x><button id=b>":       "a form that checks a URL",
		"<select multiple id=b><option>x<option>y</select>": "a click on a control of type select-multiple",
	} {
		b := open(t, &roundTripper{answer: func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, page) }}, "https://a.test/")
		if err := b.Click(t.Context(), byID(t, b.Page(), "b")); err != Beyond(want) {
			t.Errorf("Click(%s) = %v, want %q", page, err, want)
		}
	}
}

func TestRedirectKeepsTheFragment(t *testing.T) {
	b := open(t, &roundTripper{answer: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from" {
			w.Header().Set("Location", "/to")
			w.WriteHeader(302)
		}
	}}, "https://a.test/from#x")
	need.Is(t, "URL", "https://a.test/to#x", b.Page().URL.String())
}

func TestSubmitKeepsTheFragment(t *testing.T) {
	for method, want := range map[string]string{"get": "https://a.test/s?q=1#x", "post": "https://a.test/s?old=1#x"} {
		b := open(t, &roundTripper{answer: func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `<form action="/s?old=1#x" method=%s><input name=q value=1><button>`, method)
		}}, "https://a.test/")
		click(t, b, "button")
		if got := b.Page().URL.String(); got != want {
			t.Errorf("%s: %s, want %s", method, got, want)
		}
	}
}

// A label is a click on its control, whatever else its for names.
func TestLabels(t *testing.T) {
	b := open(t, &roundTripper{answer: func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "<label id=a for=i>A</label><label id=b>B <input id=j type=checkbox></label><label id=c for=c>C</label><input id=i type=checkbox>")
	}}, "https://a.test/")
	click(t, b, "#a")
	click(t, b, "#b")
	click(t, b, "#c")
	checked, err := Query(b.Page().Doc, ":checked")
	need.OK(t, err)
	need.Is(t, "checked", 2, len(checked))
}

func TestHistory(t *testing.T) {
	rt := &roundTripper{answer: func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<title>%s</title><a id=next href=%sx>n</a><a id=hash href='#h'>h</a><a id=same href=''>s</a><input name=i>", r.URL.Path, r.URL.Path)
	}}
	b := open(t, rt, "https://a.test/")
	input, err := Query(b.Page().Doc, "input")
	need.OK(t, err)
	SetValue(input[0], "typed")
	click(t, b, "#next")
	click(t, b, "#hash")
	click(t, b, "#same") // the same document but for the fragment: a request, an entry of its own
	click(t, b, "#same") // the same URL: no new entry
	var got []string
	for range 5 {
		got = append(got, b.Page().URL.String())
		b.Move(-1)
	}
	need.Equal(t, "going back", []string{"https://a.test/x", "https://a.test/x#h", "https://a.test/x", "https://a.test/", "about:blank"}, got)
	b.Move(1)
	if v := Value(input[0]); v != "typed" {
		t.Errorf("the value after going back is %q", v)
	}
	b.Move(1)
	need.Equal(t, "requests", []string{"GET https://a.test/", "GET https://a.test/x", "GET https://a.test/x", "GET https://a.test/x"}, rt.seen)
}

func TestResponses(t *testing.T) {
	const noPage = "an answer that is not a UTF-8 page: https://a.test/"
	for _, row := range []struct{ name, kind, body, extra, wantErr, wantText, wantDoubt string }{
		{name: "text", kind: "text/plain", body: "x", wantErr: noPage},
		{name: "download", kind: "text/html", body: "x", extra: "attachment; filename=a", wantErr: noPage},
		{name: "latin-1", kind: "text/html; charset=iso-8859-1", body: "a\xe9", wantErr: noPage},
		{name: "broken utf-8", kind: "text/html; charset=utf-8", body: "a\xffb", wantText: "a\ufffdb"},
		{name: "byte order mark", kind: "text/html; charset=utf-8", body: "\ufeffa", wantText: "a"},
		{name: "too large", kind: "text/html", body: strings.Repeat("x", maxBody+1), wantErr: "a page larger than 8 MiB"},
		{name: "too deep", kind: "text/html", body: strings.Repeat("<div>", 600), wantDoubt: "page needs a real browser (open stack of elements exceeds 512 nodes): https://a.test/"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := New(&roundTripper{answer: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", row.kind)
				w.Header().Set("Content-Disposition", row.extra)
				io.WriteString(w, row.body)
			}})
			err := b.Open(t.Context(), parse(t, "https://a.test/"))
			if row.wantErr != "" {
				row.wantDoubt = "needs a real browser: " + row.wantErr
			}
			if got, _ := err.(Beyond); string(got) != row.wantErr {
				t.Errorf("Open = %v, want %q", err, row.wantErr)
			}
			if err == nil {
				need.Is(t, "innerText", row.wantText, b.Page().InnerText(b.Page().Element(atom.Body)))
			}
			need.Is(t, "Doubt", row.wantDoubt, b.Doubt)
		})
	}
}

// A style or element that this browser does not know, and that may change the
// text of a page, makes the page doubtful.
func TestDoubts(t *testing.T) {
	for page, want := range map[string]string{
		"<style>p{color:red}@media(min-width:9px){p{margin:0}}@font-face{src:url(x)}p:target{color:red}</style>": "",
		"<style>@media print{p{display:none}}</style>":                                                           "",
		"<style>@media (min-width:9px){p{display:none}}</style>":                                                 "style: @media (min-width:9px)",
		"<style>p:target{display:none}</style>":                                                                  "style: selector p:target",
		"<style>p{display:none !important}</style>":                                                              "style: display: none !important",
		"<style>@import 'x.css'; p{color:red}</style>":                                                           "style: @import 'x.css';",
		"<style>p{position:absolute}</style>":                                                                    "style: position: absolute",
		"<style>p{display:flex}</style>":                                                                         "style: display: flex",
		"<style>p{display:inline}</style>":                                                                       "style: display: inline",
		"<fieldset disabled></fieldset>":                                                                         "fieldset with disabled",
		"<input disabled>":                                                                                       "",
		"<table><form><tr><td><input></table>":                                                                   "form directly in table",
		"<input type=color>":                                                                                     "input of type color",
		"<select size=2><option>a</select>":                                                                      "select with size",
		"<input form=f>":                                                                                         "input with form",
		"<button formaction=/x>":                                                                                 "button with formaction",
		"<p popover>":                                                                                            "p with popover",
		"<p hidden=until-found>":                                                                                 "p with hidden",
		"<p style='text-transform:uppercase'>":                                                                   "style: text-transform: uppercase",
		"<p style='visibility:hidden'>":                                                                          "style: visibility: hidden",
		"<base href=/x>":                                                                                         "element base",
		"<link rel=stylesheet href=x.css>":                                                                       "linked style sheet",
		"<details><summary>x</summary>":                                                                          "element details",
		"<x-y>":                                                                                                  "element x-y",
		"<svg><text>x</text></svg>":                                                                              "text in svg",
		"<svg><path d=M0/></svg>":                                                                                "",
	} {
		got := parsePage(t, page).doubt
		if want != "" {
			want = "page needs a real browser (" + want + "): https://example.com/"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

func TestNetErrors(t *testing.T) {
	for _, row := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("dial: %w", &net.DNSError{}), "net::ERR_NAME_NOT_RESOLVED"},
		{fmt.Errorf("dial: %w", syscall.ECONNREFUSED), "net::ERR_CONNECTION_REFUSED"},
		{context.Canceled, "context canceled"},
		{errors.New("odd"), "stand-in: a request that fails with: odd is not supported; use a real browser"},
		{&url.Error{Op: "Get", URL: "http://a.test/", Err: &net.OpError{Op: "read", Net: "tcp", Source: &net.TCPAddr{Port: 1}, Err: os.NewSyscallError("read", syscall.ECONNRESET)}}, "stand-in: a request that fails with: read: connection reset by peer is not supported; use a real browser"},
	} {
		need.Is(t, fmt.Sprintf("failed(%v)", row.err), row.want, New(nil).failed(row.err).Error())
	}
}

// A cookie by rules that the browser does not know puts the session in doubt.
func TestCookies(t *testing.T) {
	for _, line := range []string{"k=v; Domain=a.test", "k=v; SameSite=Strict", "__Host-k=v; Secure; Path=/", "k=v; Secure", "k=v; Max-Age=60"} {
		b := New(nil)
		c, err := http.ParseSetCookie(line)
		need.OK(t, err)
		b.SetCookies(parse(t, "http://a.test/"), []*http.Cookie{c})
		if !strings.HasPrefix(b.Doubt, "needs a real browser: the cookie ") {
			t.Errorf("%s: doubt %q", line, b.Doubt)
		}
	}
}

func TestResolve(t *testing.T) {
	base, err := Resolve(&url.URL{}, "HTTPS://Example.com:443/dir/page?q=1#frag")
	need.OK(t, err)
	for raw, want := range map[string]string{
		"": "https://example.com/dir/page?q=1", "x": "https://example.com/dir/x", "/x#f": "https://example.com/x#f", "?a b=\"ü'": "https://example.com/dir/page?a%20b=%22%C3%BC%27",
		"../a b": "https://example.com/a%20b", "//other.test": "https://other.test/", "http://a.test:80": "http://a.test/", "mailto:x@y": "mailto:x@y",
		" http://a.test:81/é ": "http://a.test:81/%C3%A9", "http://": "", "http://a b/": "", "/%": "",
	} {
		got := ""
		if u, err := Resolve(base, raw); err == nil {
			got = u.String()
		}
		need.Is(t, fmt.Sprintf("Resolve(%q)", raw), want, got)
	}
}

func TestCheckedSelectorFollowsTheUser(t *testing.T) {
	p := parsePage(t, "<input id=a type=checkbox checked><input id=b type=checkbox><select><option>1<option id=o>2</select>")
	nodes, _ := Query(p.Doc, "input, select")
	p.Check(nodes[0], false)
	p.Check(nodes[1], true)
	p.Check(Options(nodes[2])[1], true)
	found, err := Query(p.Doc, ":checked")
	need.OK(t, err)
	var ids []string
	for _, n := range found {
		id := Attr(n, "id")
		ids = append(ids, id)
	}
	need.Equal(t, ":checked", []string{"b", "o"}, ids)
	for _, selector := range []string{`[id=":checked"]`, ":CHECKED", `[id=":checked"], :checked`} {
		if found, err := Query(p.Doc, selector); err == nil {
			t.Errorf("%s: %d elements, want it to be refused", selector, len(found))
		}
	}
}
