package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/internal/need"
)

// TestPages holds the built-in pages to what README.md promises of them. Each
// is looked at as a GET shows it and as a POST with nothing filled in does.
func TestPages(t *testing.T) {
	s := drawn(t)
	for _, host := range s.Hosts() {
		for name, f := range s.site(host).files {
			if !strings.HasSuffix(name, ".html") || name == "_head.tmpl.html" || name == "_foot.tmpl.html" {
				continue
			}
			for _, method := range []string{"GET", "POST"} {
				t.Run(host+"/"+name+"/"+method, func(t *testing.T) {
					r := f.reply(200, Page{Method: method, Host: host, Path: "/order", Param: s.site(host).values})
					switch {
					case s.draws[host] != nil:
						checkDrawn(t, s, r)
					case r.status != 200:
						t.Fatalf("status %d: %s", r.status, r.body)
					default:
						checkPage(t, s, host, r.body)
					}
				})
			}
		}
	}
}

// unsteady finds scripts that depend on the day or on chance.
var unsteady = regexp.MustCompile(`Math\.random|crypto\.|new Date\(\)|Date\.now`)

// checkDrawn checks a page that shows drawn values. Such a page may break the rules of
// README.md on purpose, because that is what its task is about. But it must be complete,
// load nothing from outside, and be the same in every run. A part of a page, and a page
// that needs rows of its session, is not checked.
func checkDrawn(t *testing.T, s *Set, r reply) {
	if r.status != 200 || !bytes.HasPrefix(r.body, []byte("<!doctype html>")) {
		return
	}
	doc, err := html.Parse(bytes.NewReader(r.body))
	need.OK(t, err)
	icon := false
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			icon = icon || n.Data == "link" && a.Key == "href" && a.Val == "data:,"
			if u, err := url.Parse(a.Val); (a.Key == "src" || a.Key == "href" || a.Key == "action") && err == nil && u.Host != "" && !s.Has(u.Host) {
				t.Errorf("<%s> leads to %s, which is no fixture host", n.Data, u.Host)
			}
		}
	}
	if !icon {
		t.Error("has no <link rel=icon href=data:,>")
	}
	if bad := unsteady.Find(r.body); bad != nil {
		t.Errorf("a script uses %s", bad)
	}
}

// Words that make OpenChrome take a page for a block page or a test system.
var badWords = []string{"captcha", "access denied", "please verify", "enable javascript", "forbidden", "staging", "demo"}

// What text is judged by may not depend on layout.
var badCSS = regexp.MustCompile(`(?i)flex|grid|float|absolute|fixed|sticky|visibility|display|@|url\(|content:|text-transform`)

var datelike = regexp.MustCompile(`\b(19|20)\d\d-\d\d|\b\d{1,2}:\d\d:\d\d`)

func checkPage(t *testing.T, s *Set, host string, body []byte) {
	doc, err := html.Parse(bytes.NewReader(body))
	need.OK(t, err)
	if !bytes.HasPrefix(body, []byte("<!doctype html>")) {
		t.Error("does not begin with <!doctype html>")
	}
	p := page{t: t, set: s, host: host, ids: make(map[string]int), labels: make(map[string]bool), count: make(map[string]int)}
	for n := range doc.Descendants() {
		p.node(n)
	}
	for _, once := range []string{"html", "head", "body", "main", "h1", "title", "meta charset", "meta viewport", "icon"} {
		if p.count[once] != 1 {
			t.Errorf("%d × %s, want 1", p.count[once], once)
		}
	}
	for id, n := range p.ids {
		if n > 1 {
			t.Errorf("id %q stands %d times", id, n)
		}
	}
	for _, id := range p.controls {
		if id == "" || !p.labels[id] {
			t.Errorf("control %q has no label", id)
		}
	}
	for _, ref := range p.refs {
		if p.ids[ref] == 0 {
			t.Errorf("refers to %q, which is not on the page", ref)
		}
	}
	if datelike.Match(body) {
		t.Errorf("a date or time of day: %s", datelike.Find(body))
	}
	for _, w := range badWords {
		if strings.Contains(strings.ToLower(string(body)), w) {
			t.Errorf("says %q", w)
		}
	}
}

// page gathers what is only known once the whole page was seen.
type page struct {
	t        *testing.T
	set      *Set
	host     string
	count    map[string]int
	ids      map[string]int
	labels   map[string]bool // by the id they are for
	controls []string        // ids
	refs     []string        // ids
}

func (p *page) node(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	p.count[n.Data]++
	attr := make(map[string]string)
	for _, a := range n.Attr {
		attr[a.Key] = a.Val
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "target" {
			p.t.Errorf("<%s> has %s", n.Data, a.Key)
		}
	}
	if id, ok := attr["id"]; ok {
		p.ids[id]++
	}
	if ref, ok := attr["aria-describedby"]; ok {
		p.refs = append(p.refs, ref)
	}
	switch n.Data {
	case "script":
		p.t.Error("has a <script>")
	case "iframe", "img", "svg", "object", "base", "canvas":
		p.t.Errorf("has <%s>", n.Data)
	case "html":
		if attr["lang"] != "en" {
			p.t.Errorf("lang=%q, want en", attr["lang"])
		}
	case "title", "h1", "h2", "a", "button", "legend", "label", "th":
		if text(n) == "" {
			p.t.Errorf("<%s> is empty", n.Data)
		}
	case "style":
		if bad := badCSS.FindString(text(n)); bad != "" {
			p.t.Errorf("style says %q", bad)
		}
	case "meta":
		if attr["charset"] == "utf-8" {
			p.count["meta charset"]++
		}
		if attr["name"] == "viewport" {
			p.count["meta viewport"]++
		}
	case "link":
		if attr["rel"] == "icon" && attr["href"] == "data:," {
			p.count["icon"]++
		} else {
			p.t.Errorf("link to %q", attr["href"])
		}
	}
	switch n.Data {
	case "label":
		p.labels[attr["for"]] = true
	case "input", "select", "textarea":
		if attr["type"] == "hidden" {
			break
		}
		p.controls = append(p.controls, attr["id"])
		if attr["name"] == "" {
			p.t.Errorf("<%s id=%q> has no name", n.Data, attr["id"])
		}
	case "a":
		p.resolves("GET", attr["href"])
	case "form":
		p.resolves(strings.ToUpper(attr["method"]), attr["action"])
	}
}

func text(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// resolves checks that a link or form leads to a page of a fixture host.
func (p *page) resolves(method, ref string) {
	u, err := url.Parse("https://" + p.host + "/")
	if err == nil {
		u, err = u.Parse(ref)
	}
	if err != nil || ref == "" || !p.set.Has(u.Host) {
		p.t.Errorf("%s %q leads to no fixture host (%v)", method, ref, err)
		return
	}
	if !slices.Contains(p.set.site(u.Host).allow(u.Path), method) {
		p.t.Errorf("%s %q: no page takes it", method, ref)
	}
	if method != "GET" || u.RawQuery != "" {
		return
	}
	w := p.set.NewWeb()
	for range 5 {
		r := do(p.t, w, "GET", u.String(), "")
		switch {
		case r.Code == http.StatusServiceUnavailable: // the page that fails first
		case r.Code == http.StatusUnprocessableEntity: // a form sent by GET, empty
			return
		case r.Code >= 300 && r.Code < 400:
			if u, err = u.Parse(r.Header().Get("Location")); err != nil {
				p.t.Fatal(err)
			}
		case r.Code == 200:
			return
		default:
			p.t.Errorf("%q leads to %d", ref, r.Code)
			return
		}
	}
	p.t.Errorf("%q leads nowhere in 5 requests", ref)
}

// ownLook finds what a host's _head.tmpl.html has of its own: two colours and
// the header.
var ownLook = regexp.MustCompile(`(?s)\nheader \{ background: (#[0-9a-f]{6}); .*\n\.box \{[^\n]* background: (#[0-9a-f]{6}); \}\n.*(<header>.*</header>)`)

// Some built-in hosts look alike, but they cannot share a file.
func TestHeadsAreAlike(t *testing.T) {
	s := drawn(t)
	var hosts, heads []string
	for _, host := range s.Hosts() {
		f := s.site(host).files["_head.tmpl.html"]
		if f == nil {
			continue
		}
		own := ownLook.FindStringSubmatch(string(f.data))
		if own == nil {
			continue // a look of its own
		}
		hosts = append(hosts, host)
		heads = append(heads, strings.NewReplacer(own[1], "COLOUR", own[2], "TINT", own[3], "").Replace(string(f.data)))
	}
	if len(hosts) < 2 {
		t.Fatalf("heads of %v, want at least two to compare", hosts)
	}
	for i, head := range heads[1:] {
		if diff := cmp.Diff(heads[0], head); diff != "" {
			t.Errorf("_head.tmpl.html of %s and %s differ in more than colours and header:\n%s", hosts[0], hosts[i+1], diff)
		}
	}
}

// TestStories walks through each host as a visitor with a cookie jar would.
func TestStories(t *testing.T) {
	type step struct {
		request string // METHOD URL [form]
		status  int
		says    string
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"example", []step{
			{"GET http://example.com/", 200, "<h1>Example Domain</h1>"},
			{"GET http://example.com/more", 200, "<h1>Domains for examples</h1>"}}},
		{"contact", []step{
			{"GET http://forms.test/contact/sent", 303, "/contact"},
			{"GET http://forms.test/contact-us", 301, "/contact"},
			{"POST http://forms.test/contact name=Ada&email=&message=+", 422, `<p class="error" id="message-error">Enter a message</p>`},
			{"POST http://forms.test/contact name=Ada&email=&message=+", 422, `value="Ada"`},
			{"POST http://forms.test/contact name=Ada&email=ada%40example.com&topic=rooms&message=%3Ci%3E&reply=phone", 303, "/contact/sent"},
			{"GET http://forms.test/contact/sent", 200, "<h1>Message sent</h1>"},
			{"GET http://forms.test/contact/sent", 200, `<td id="sent-email">ada@example.com</td>`},
			{"GET http://forms.test/contact/sent", 200, `<td id="sent-message">&lt;i&gt;</td>`},
			{"GET http://forms.test/contact/sent", 200, `<td id="sent-updates">no</td>`}}},
		{"members", []step{
			{"GET http://forms.test/members", 303, "/join"},
			{"POST http://forms.test/join member=", 422, "You have not joined yet"},
			{"POST http://forms.test/join member=Ada&plan=family&reads=history&reads=science", 303, "/members"},
			{"GET http://forms.test/members", 200, "Welcome, Ada."},
			{"GET http://forms.test/members", 200, "You like to read: history, science."},
			{"POST http://forms.test/leave", 303, "/"},
			{"GET http://forms.test/members", 303, "/join"}}},
		{"order", []step{
			{"GET http://recovery.test/orders/1042", 404, "There is no page at /orders/1042."},
			{"GET http://recovery.test/track", 301, "/status"},
			{"GET http://recovery.test/order?number=", 422, "Enter an order number"},
			{"GET http://recovery.test/order?number=7", 404, "no order with the number 7"},
			{"GET http://recovery.test/order?number=1042", 200, "<h1>Order 1042 has shipped</h1>"},
			{"GET http://recovery.test/order?number=1043", 200, "<h1>Order 1043 is being packed</h1>"}}},
		{"fails first", []step{
			{"GET http://recovery.test/delivery", 503, "not available right now"},
			{"GET http://recovery.test/delivery", 200, "<h1>Delivery times</h1>"}}},
		{"shop", []step{
			{"GET http://shop.test/cart", 200, "There is nothing in it yet."},
			{"GET http://shop.test/checkout", 303, "/cart"},
			{"POST http://shop.test/cart product=teapot", 303, "/cart"},
			{"POST http://shop.test/cart product=mug", 303, "/cart"},
			{"POST http://shop.test/cart product=mug", 303, "/cart"},
			{"POST http://shop.test/cart product=tea-towel", 422, "Not added to the cart"},
			{"GET http://shop.test/cart", 200, `<td class="number" id="total">£42</td>`},
			{"POST http://shop.test/checkout name=Ada", 422, "Enter your address"},
			{"POST http://shop.test/checkout name=Ada&address=Quay+1&delivery=express", 303, "/checkout/done"},
			{"GET http://shop.test/checkout/done", 200, "Thank you, Ada."},
			{"GET http://shop.test/cart", 200, "There is nothing in it yet."},
			{"POST http://shop.test/cart product=strainer", 303, "/cart"},
			{"POST http://shop.test/cart/empty", 303, "/cart"},
			{"GET http://shop.test/cart", 200, "There is nothing in it yet."}}},
		{"news", []step{
			{"GET http://news.test/latest", 302, "/articles/tide-mill"},
			{"GET http://news.test/articles/tide-mill", 200, "<h2>The first sack</h2>"},
			{"GET http://news.test/archive", 200, "Page 1 of 3"},
			{"GET http://news.test/archive/3", 200, "Page 3 of 3"},
			{"GET http://news.test/archive/4", 404, "There is no page at /archive/4."}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := drawn(t).NewWeb()
			jar := make(map[string]string)
			for _, s := range c.steps {
				f := append(strings.Fields(s.request), "")
				var cookies []string
				for name, value := range jar {
					cookies = append(cookies, name+"="+value)
				}
				r := do(t, w, f[0], f[1], f[2], cookies...)
				for _, set := range r.Result().Cookies() {
					if jar[set.Name] = set.Value; set.MaxAge < 0 {
						delete(jar, set.Name)
					}
				}
				got := r.Body.String()
				if r.Code >= 300 && r.Code < 400 {
					got = r.Header().Get("Location")
				}
				if r.Code != s.status || !strings.Contains(got, s.says) {
					t.Errorf("%s = %d\n%s\nwant %d with %s", s.request, r.Code, got, s.status, s.says)
				}
			}
		})
	}
}

// Same requests, same bytes.
func TestDeterministic(t *testing.T) {
	s := drawn(t)
	session := func() string {
		var b strings.Builder
		w := s.NewWeb()
		for _, host := range s.Hosts() {
			for _, path := range []string{"/", "/", "/none", "/delivery", "/cart"} {
				r := do(t, w, "GET", "http://"+host+path, "")
				fmt.Fprintln(&b, r.Code)
				r.Result().Header.Write(&b)
				b.Write(r.Body.Bytes())
			}
		}
		return b.String()
	}
	if one, two := session(), session(); one != two {
		t.Error("two sessions of the same requests differ")
	}
}
