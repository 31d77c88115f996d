package browser

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// roundTripper makes a function a RoundTripper and notes the requests.
type roundTripper struct {
	answer func(w http.ResponseWriter, r *http.Request)
	seen   []string
}

func (rt *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	rt.seen = append(rt.seen, strings.TrimSpace(r.Method+" "+r.URL.String()+" "+string(body)))
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	rt.answer(w, r)
	return w.Result(), nil
}

func open(t *testing.T, rt *roundTripper, url string) *Browser {
	t.Helper()
	b := New(rt)
	if err := b.Open(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return b
}

func click(t *testing.T, b *Browser, selector string) {
	t.Helper()
	n, err := b.Page().First(b.Page().Doc, selector)
	if err != nil || n == nil {
		t.Fatalf("First(%q) = %v, %v", selector, n, err)
	}
	if _, err := b.Click(t.Context(), n); err != nil {
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
		if got := rt.seen[len(rt.seen)-1]; got != want {
			t.Errorf("%d: last request %q, want %q", code, got, want)
		}
		if got := b.Page().URL.String(); got != "https://a.test/to#f" {
			t.Errorf("%d: URL = %s", code, got)
		}
	}
}

func TestForms(t *testing.T) {
	for _, row := range []struct{ name, form, want string }{
		{"get replaces the query", `<form action="/s?old=1#x"><input name=q value="a b&c~*"><button name=b value=1>`, "GET https://a.test/s?q=a+b%26c%7E*&b=1"},
		{"get without entries", `<form action=/s><button>`, "GET https://a.test/s?"},
		{"no action is the page", `<form><input name=q value=1><button>`, "GET https://a.test/p?q=1"},
		{"base", `<base href="https://b.test/d/"><form action=s><button>`, "GET https://b.test/d/s?"},
		{"a button of another form", `<form id=f action=/s><input name=q value=1></form><form action=/t><button form=f>`, "GET https://a.test/s?q=1"},
		{"formaction and formmethod", `<form action=/s><input name=q value=1><button formaction=/t formmethod=post>`, "POST https://a.test/t q=1"},
		{"what is not sent", `<form action=/s><input value=noname><input name=d value=1 disabled><input type=checkbox name=c><input type=submit name=other value=1><fieldset disabled><input name=f value=1></fieldset><datalist><input name=l value=1></datalist><select name=s><option disabled>x</select><button>`, "GET https://a.test/s?"},
		{"what is sent", `<form action=/s><input type=hidden name=h value=1><input type=checkbox name=c checked><textarea name=t>
l1
l2</textarea><select name=s><option>One  two<option value=v selected></select><select multiple name=m><option selected>1<option selected>2</select><input type=file name=f><button>`, "GET https://a.test/s?h=1&c=on&t=l1%0D%0Al2&s=v&m=1&m=2&f="},
		{"last of several checked radios", `<form action=/s><input type=radio name=r value=1 checked><input type=radio name=r value=2 checked><button>`, "GET https://a.test/s?r=2"},
		{"number that is none", `<form action=/s><input type=number name=n value=abc><button>`, "GET https://a.test/s?n="},
		{"required", `<form action=/s><input name=n required><button>`, ""},
		{"novalidate", `<form action=/s novalidate><input name=n required><button>`, "GET https://a.test/s?n="},
		{"required radio", `<form action=/s><input type=radio name=r required><input type=radio name=r><button>`, ""},
		{"required select", `<form action=/s><select name=s required><option value="">choose<option>x</select><button>`, ""},
		{"email", `<form action=/s><input type=email name=e value=a@b..c><button>`, ""},
		{"pattern", `<form action=/s><input name=e value=ab1 pattern="[a-z]+"><button>`, ""},
		{"pattern that is no expression", `<form action=/s><input name=e value=1 pattern="("><button>`, "GET https://a.test/s?e=1"},
		{"max", `<form action=/s><input type=number name=n value=11 max=10><button>`, ""},
		{"step", `<form action=/s><input type=number name=n value=1.5><button>`, ""},
		{"step any", `<form action=/s><input type=number name=n value=1.5 step=any><button>`, "GET https://a.test/s?n=1.5"},
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
			if diff := cmp.Diff(want, rt.seen); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHistory(t *testing.T) {
	rt := &roundTripper{answer: func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<title>%s</title><a id=next href=%sx>n</a><a id=hash href='#'>h</a><a id=same href=''>s</a><input name=i>", r.URL.Path, r.URL.Path)
	}}
	b := open(t, rt, "https://a.test/")
	input, _ := b.Page().First(b.Page().Doc, "input")
	b.Page().SetValue(input, "typed")
	click(t, b, "#next")
	click(t, b, "#hash")
	if got := b.Page().URL.String(); got != "https://a.test/x#" {
		t.Errorf("URL after # = %s", got)
	}
	click(t, b, "#same") // the same document but for the fragment: a request, an entry of its own
	click(t, b, "#same") // the same URL: no new entry
	var got []string
	for range 5 {
		got = append(got, b.Page().URL.String())
		b.Back()
	}
	if diff := cmp.Diff([]string{"https://a.test/x", "https://a.test/x#", "https://a.test/x", "https://a.test/", "https://a.test/"}, got); diff != "" {
		t.Errorf("going back (-want +got):\n%s", diff)
	}
	if v := b.Page().Value(input); v != "typed" {
		t.Errorf("the value after going back is %q", v)
	}
	b.Forward()
	if diff := cmp.Diff([]string{"GET https://a.test/", "GET https://a.test/x", "GET https://a.test/x", "GET https://a.test/x"}, rt.seen); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestResponses(t *testing.T) {
	for _, row := range []struct{ name, kind, body, extra, wantErr, wantText, wantDoubt string }{
		{name: "text", kind: "text/plain", body: "\na  <b>", wantText: "\na  <b>"},
		{name: "json", kind: "application/json", body: `{"a": 1}`, wantText: `{"a": 1}`},
		{name: "download", kind: "text/html", body: "x", extra: "attachment; filename=a", wantErr: "net::ERR_ABORTED at https://a.test/"},
		{name: "pdf", kind: "application/pdf", body: "x", wantErr: "stand-in: application/pdf at https://a.test/ is not supported; use a real browser", wantDoubt: "page needs a real browser (application/pdf): https://a.test/"},
		{name: "broken utf-8", kind: "text/html; charset=utf-8", body: "a\xffb", wantText: "a\ufffdb"},
		{name: "byte order mark", kind: "text/html; charset=utf-8", body: "\ufeffa", wantText: "a"},
		{name: "latin-1", kind: "text/html; charset=iso-8859-1", body: "a\xe9", wantText: "a\ufffd", wantDoubt: "page needs a real browser (charset iso-8859-1): https://a.test/"},
		{name: "latin-1 of ASCII", kind: "text/html; charset=iso-8859-1", body: "a", wantText: "a"},
		{name: "too large", kind: "text/html", body: strings.Repeat("x", maxBody+1), wantErr: "stand-in: the page at https://a.test/ is larger than 8 MiB; use a real browser", wantDoubt: "page needs a real browser (larger than 8 MiB): https://a.test/"},
		{name: "too deep", kind: "text/html", body: strings.Repeat("<div>", 600), wantDoubt: "page needs a real browser (open stack of elements exceeds 512 nodes): https://a.test/"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := New(&roundTripper{answer: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", row.kind)
				w.Header().Set("Content-Disposition", row.extra)
				io.WriteString(w, row.body)
			}})
			err := b.Open(t.Context(), "https://a.test/")
			if got := fmt.Sprint(err); row.wantErr != "" && got != row.wantErr || row.wantErr == "" && err != nil {
				t.Errorf("Open = %s, want %q", got, row.wantErr)
			}
			if err == nil {
				if got := b.Page().InnerText(b.Page().Body()); got != row.wantText {
					t.Errorf("innerText = %q, want %q", got, row.wantText)
				}
			}
			if got := b.Doubt(); got != row.wantDoubt {
				t.Errorf("Doubt = %q, want %q", got, row.wantDoubt)
			}
		})
	}
}

func TestStyleSheets(t *testing.T) {
	sheets := map[string]string{
		"/linked.css": ".gone{display:none}", "/print.css": "@media print{p{display:none}}", "/unknown.css": "p:target{display:none}",
		"/hover.css": "p:hover{display:none}", "/harmless.css": "p:target{color:red}@font-face{x:y}@media (min-width:1px){p{margin:0}}",
	}
	for css, want := range map[string]string{
		"/linked.css": "b | ", "/print.css": "a\n\nb | ", "/missing.css": "a\n\nb | ", "/hover.css": "a\n\nb | ", "/harmless.css": "a\n\nb | ",
		"/unknown.css": "a\n\nb | page needs a real browser (style: selector p:target): https://a.test/",
	} {
		b := open(t, &roundTripper{answer: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				fmt.Fprintf(w, "<link rel=stylesheet href=%s><p class=gone>a</p><p>b</p>", css)
			} else if sheets[r.URL.Path] == "" {
				w.WriteHeader(404)
				io.WriteString(w, "p{display:none}")
			} else {
				io.WriteString(w, sheets[r.URL.Path])
			}
		}}, "https://a.test/")
		if got := b.Page().InnerText(b.Page().Body()) + " | " + b.Doubt(); got != want {
			t.Errorf("%s: %q, want %q", css, got, want)
		}
	}
}

func TestNetErrors(t *testing.T) {
	for _, row := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("dial: %w", ErrNameNotResolved), "net::ERR_NAME_NOT_RESOLVED"},
		{fmt.Errorf("dial: %w", syscall.ECONNREFUSED), "net::ERR_CONNECTION_REFUSED"},
		{fmt.Errorf("read: %w", syscall.ECONNRESET), "net::ERR_CONNECTION_RESET"},
		{io.ErrUnexpectedEOF, "net::ERR_EMPTY_RESPONSE"},
		{context.DeadlineExceeded, "net::ERR_CONNECTION_TIMED_OUT"},
		{x509.UnknownAuthorityError{}, "net::ERR_CERT_AUTHORITY_INVALID"},
		{x509.HostnameError{Certificate: &x509.Certificate{}}, "net::ERR_CERT_COMMON_NAME_INVALID"},
		{x509.CertificateInvalidError{Reason: x509.Expired}, "net::ERR_CERT_DATE_INVALID"},
		{errors.New("odd"), "net::ERR_FAILED"},
	} {
		if got := netError(row.err, "https://a.test/").Error(); got != row.want+" at https://a.test/" {
			t.Errorf("netError(%v) = %s, want %s", row.err, got, row.want)
		}
	}
}

func TestJar(t *testing.T) {
	parse := func(s string) *URL {
		u, err := ParseURL(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, row := range []struct{ name, from, set, to, want string }{
		{"host only", "https://a.example.com/", "k=v", "https://a.example.com/x", "k=v"},
		{"host only elsewhere", "https://a.example.com/", "k=v", "https://b.a.example.com/", ""},
		{"domain", "https://a.example.com/", "k=v; Domain=example.com", "https://b.example.com/", "k=v"},
		{"foreign domain", "https://a.example.com/", "k=v; Domain=other.com", "https://a.example.com/", ""},
		{"public suffix", "https://a.example.com/", "k=v; Domain=com", "https://a.example.com/", ""},
		{"default path", "https://a.com/d/page", "k=v", "https://a.com/d/other", "k=v"},
		{"default path elsewhere", "https://a.com/d/page", "k=v", "https://a.com/dd", ""},
		{"path", "https://a.com/", "k=v; Path=/p", "https://a.com/p/q", "k=v"},
		{"path is no prefix of a word", "https://a.com/", "k=v; Path=/p", "https://a.com/pq", ""},
		{"secure from http", "http://a.com/", "k=v; Secure", "https://a.com/", ""},
		{"secure to http", "https://a.com/", "k=v; Secure", "http://a.com/", ""},
		{"none needs secure", "https://a.com/", "k=v; SameSite=None", "https://a.com/", ""},
		{"host prefix", "https://a.com/", "__Host-k=v; Secure; Path=/", "https://a.com/", "__Host-k=v"},
		{"host prefix with a path", "https://a.com/", "__Host-k=v; Secure; Path=/p", "https://a.com/p", ""},
		{"expired", "https://a.com/", "k=v; Max-Age=0", "https://a.com/", ""},
		{"max-age beats expires", "https://a.com/", "k=v; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:01 GMT", "https://a.com/", "k=v"},
		{"no cookie", "https://a.com/", ";;;", "https://a.com/", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var j Jar
			j.receive(&parse(row.from).URL, http.Header{"Set-Cookie": {row.set}})
			got := ""
			for _, c := range j.For(parse(row.to)) {
				got += c.Name + "=" + c.Value
			}
			if got != row.want {
				t.Errorf("cookies = %q, want %q", got, row.want)
			}
		})
	}
	var j Jar
	u := parse("https://a.com/p/q")
	j.receive(&u.URL, http.Header{"Set-Cookie": {"a=1; Path=/", "b=2; Path=/p", "c=3; Path=/", "a=4; Path=/"}})
	got := ""
	for _, c := range j.For(u) {
		got += c.Name + c.Value + " "
	}
	if got != "b2 a4 c3 " {
		t.Errorf("order = %q, want longer paths first, then the older, a replaced one in its place", got)
	}
}

func TestCheckedSelectorFollowsTheUser(t *testing.T) {
	p := parsePage(t, "<input id=a type=checkbox checked><input id=b type=checkbox><select><option>1<option id=o>2</select>")
	nodes, _ := p.All(p.Doc, "input, select")
	p.SetChecked(nodes[0], false)
	p.SetChecked(nodes[1], true)
	p.Choose(nodes[2], p.Options(nodes[2])[1])
	found, err := p.All(p.Doc, ":checked")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, n := range found {
		id, _ := Attr(n, "id")
		ids = append(ids, id)
	}
	if diff := cmp.Diff([]string{"b", "o"}, ids); diff != "" {
		t.Errorf(":checked (-want +got):\n%s", diff)
	}
	if n := nodes[0]; n.Type != html.ElementNode || len(n.Attr) != 3 {
		t.Errorf("attributes of #a = %v", n.Attr)
	}
}
