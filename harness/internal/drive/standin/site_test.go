package standin

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
	"github.com/openchrome/bench/harness/internal/need"
)

// pages is the site of these tests. A value that starts with "-> " is a
// redirect.
var pages = map[string]string{
	"/":         `<title>Home</title><h1>Hello</h1><p>Intro <b>text</b></p><ul><li><a id=f href=/form>Form page</a></li><li><a href=#sec>Section</a></li><li><a href=/missing>Gone</a></li></ul><main><p>Main content goes here</p></main><h2 id=sec>Section head</h2><p>More</p><p hidden>secret</p>`,
	"/form":     `<title>Form</title><h1>Form</h1><form action=/submit method=post><p><label for=n>Name</label> <input id=n name=name required></p><p><label>Email <input type=email name=email placeholder=you@x></label></p><p><label><input type=checkbox name=agree value=yes> I agree</label></p><p>Plan <select name=plan aria-label=Plan><option value=free>Free</option><option value=pro>Pro</option></select></p><p><label><input type=radio name=c value=r> Red</label><label><input type=radio name=c value=b checked> Blue</label></p><p><label>Notes <textarea name=notes>old</textarea></label></p><button>Submit</button> <button name=op value=del>Delete</button><button type=reset>Reset</button><input type=submit value=Send disabled><input name=ro value=fixed readonly></form>`,
	"/rich":     `<title>Rich</title><main class=content><section><div><em>deep</em></div></section></main><ul><li>a<li>b<li>c<li>d<li>e</ul><button aria-label="Close dialog">x</button>`,
	"/alike":    `<title>Alike</title><nav><a href=/>Leave</a></nav><p><a href=/rich>More</a><p><a href=/>More</a><form action=/submit><button>Leave</button></form>`,
	"/slow":     `<title>Slow</title><a href=/hang>Slow link</a>`,
	"/chain":    `<title>Chain</title>` + strings.Repeat("<div>", 9) + "<p>deep" + strings.Repeat("</div>", 9) + `<main><section><div><p>a<p>b</div></section></main>`,
	"/many":     `<title>Many</title>` + strings.Repeat("<p>thing or two</p>", 40) + `<h2>thing</h2><a href=/>thing</a>`,
	"/aria":     `<title>Aria</title><button>Buy</button><a href=/rich aria-label=Buy>now</a><form><input name=q type=tel></form>`,
	"/script":   `<title>S</title><p onclick="x()">hi</p>`,
	"/data":     `<title>D</title><script type="application/ld+json">{"a":1}</script><p>hi</p>`,
	"/refresh":  `<title>R</title><meta http-equiv=refresh content="0;url=/">`,
	"/iframe":   `<title>I</title><iframe src=/></iframe>`,
	"/style":    `<title>T</title><style>@media (min-width:1px){p{display:none}}</style><p>x</p>`,
	"/redirect": "-> /form#x",
	"/loop":     "-> /loop",
	"/login":    `<title>Sign in</title>`,
	"/out":      "-> http://other.example/login",
	"/round":    "-> /self",
	"/self": `<title>A&nbsp;B</title><h1><img src="data:,"></h1><h4>Four</h4><a href=/round>Round</a><p role=option>one
 two<p role=textbox>x`,
	"/inside": `<title>N</title><table><tr><td>Item <a href=/>view</a></table><input type=url aria-label=Site><select aria-label=Plan><option> A
 B </select>`,
	"/links": `<title>L</title><a href=/form target=_blank>Popup</a><a href="javascript:go()">Script</a><a href=/x download>Save</a><form enctype=multipart/form-data method=post><button>Upload</button></form><form><input name=a maxlength=3><input type=date name=d><button>Go</button></form>`,
}

type site struct {
	mu   sync.Mutex
	seen []string
}

// RoundTrip answers for shop.example and other.example.
func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != "shop.example" && r.URL.Host != "other.example" {
		return nil, fmt.Errorf("dial: %w", &net.DNSError{IsNotFound: true})
	}
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	s.seen = append(s.seen, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	s.mu.Unlock()
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	page, ok := pages[r.URL.Path]
	switch {
	case r.URL.Path == "/hang":
		<-r.Context().Done()
		return nil, r.Context().Err()
	case r.URL.Path == "/empty":
		w.WriteHeader(500)
	case r.URL.Path == "/cookie":
		w.Header()["Set-Cookie"] = []string{"who=abc; Path=/; HttpOnly", "theme=dark; SameSite=Lax", "scoped=1; Path=/scoped", "lang=x"}
		fmt.Fprint(w, "<title>C</title>", r.Header.Get("Cookie"))
	case r.URL.Path == "/submit" || r.URL.Path == "/other":
		fmt.Fprintf(w, "<title>Done</title><h1>Thanks</h1><pre id=b>%s</pre>", strings.ReplaceAll(string(body), "&", "&amp;"))
	case !ok:
		w.WriteHeader(404)
		fmt.Fprint(w, "<title>Not found</title><h1>404</h1>")
	case strings.HasPrefix(page, "-> "):
		w.Header().Set("Location", page[3:])
		w.WriteHeader(302)
	default:
		title, body, _ := strings.Cut(page, "</title>")
		fmt.Fprint(w, "<!doctype html><html lang=en><head><meta charset=utf-8>"+title+"</title></head><body>"+body+"</body></html>")
	}
	res := w.Result()
	res.Request = r
	return res, nil
}

// session is a client of a fresh stand-in over the site.
type session struct {
	t *testing.T
	*client.Client
	site   *site
	server *Server
}

func start(t *testing.T, o Options) *session {
	t.Helper()
	s := &session{t: t, site: &site{}}
	if o.Transport == nil {
		o.Transport = s.site
	}
	s.server = New(o)
	c, err := client.NewInProcessClientWithOptions(s.server.MCP(), client.WithProtocolVersion("2025-06-18"))
	need.OK(t, err)
	s.Client = c
	need.OK(t, c.Start(t.Context()))
	t.Cleanup(func() { c.Close() })
	need.OK(t, need.Err(c.Initialize(t.Context(), mcp.InitializeRequest{})))
	return s
}

type args = map[string]any

const firstTab = "00000000000000000000000000000001"

// raw calls a tool; "TAB" in an argument stands for the tab id.
func (s *session) raw(ctx context.Context, tool string, a args) (*mcp.CallToolResult, error) {
	for k, v := range a {
		if v == "TAB" {
			a[k] = firstTab
		}
	}
	return s.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: a}})
}

// call returns the text of a result, with "ERROR " before it when it is one.
func (s *session) call(tool string, a args) string {
	s.t.Helper()
	if tool == "fields" {
		return s.fields()
	}
	r, err := s.raw(s.t.Context(), tool, a)
	if err != nil {
		s.t.Fatalf("%s: %v", tool, err)
	}
	text := r.Content[0].(mcp.TextContent).Text
	if r.IsError {
		text = "ERROR " + text
	}
	return strings.ReplaceAll(text, firstTab, "TAB")
}

// fields returns what the fields of the page hold.
func (s *session) fields() (all string) {
	for n := range s.server.browser.Page().Doc.Descendants() {
		if browser.Listed(" input select textarea ", browser.Tag(n)) {
			all += " " + browser.Attr(n, "name") + "=" + browser.Value(n)
			if browser.On(n) {
				all += "!"
			}
		}
	}
	return all
}

func (s *session) doubt() string {
	s.t.Helper()
	r, err := s.raw(s.t.Context(), "tabs_context", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if r.Meta == nil {
		return ""
	}
	reason, _ := r.Meta.AdditionalFields[InconclusiveKey].(string)
	if r.Meta.AdditionalFields[BrokenKey] == true {
		reason = "broken: " + reason
	}
	return reason
}

func (s *session) requests() []string {
	s.site.mu.Lock()
	defer s.site.mu.Unlock()
	out := s.site.seen
	s.site.seen = nil
	return out
}

// within guards tests that would hang when cancelling fails.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
