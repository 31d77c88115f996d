package sites

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
)

//go:embed local.tmpl.html
var localIndex string

// ServeLocal serves all hosts of s over http on addr (host:port, where no host
// is localhost and port 0 a free one) for a person to look at, until ctx is
// done. It says on out where.
//
// http://localhost:port/ lists the hosts. A host is at
// http://HOST.localhost:port/, which browsers resolve by themselves;
// http://localhost:port/HOST/… leads there. Links from one fixture host to
// another are rewritten to that form. State is kept until "start over".
func ServeLocal(ctx context.Context, s *Set, addr string, out io.Writer) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address %q: %w; write host:port, such as localhost:8080", addr, err)
	}
	if host == "" {
		host = "localhost"
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("serve the sites: %w; another port may be free", err)
	}
	l := &local{set: s, port: strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)}
	l.index = template.Must(template.New("index").Parse(localIndex))
	l.links = l.newLinks()
	l.web.Store(s.NewWeb())
	srv := newHTTPServer(l)
	defer context.AfterFunc(ctx, func() { srv.Close() })()
	fmt.Fprintf(out, "http://localhost:%s/ lists %d sites. Ctrl-C stops.\n", l.port, len(s.sites))
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the sites: %w", err)
	}
	return nil
}

// local is the handler of ServeLocal.
type local struct {
	set   *Set
	port  string
	index *template.Template
	links *strings.Replacer
	web   atomic.Pointer[Web]
}

func (l *local) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	host := hostOf(r.Host)
	if site, ok := strings.CutSuffix(host, ".localhost"); ok && l.set.Has(site) {
		l.site(rw, r, site)
		return
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	switch {
	case l.set.Has(first):
		to := l.origin(first) + "/" + rest
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		write(rw, r, reply{status: http.StatusTemporaryRedirect, location: to})
	case r.URL.Path == "/start-over" && r.Method == http.MethodPost:
		l.web.Store(l.set.NewWeb())
		write(rw, r, reply{status: http.StatusSeeOther, location: "/"})
	case r.URL.Path == "/":
		l.list(rw, r)
	default:
		write(rw, r, plain(http.StatusNotFound, "no such page; "+l.home()+" lists the sites"))
	}
}

func (l *local) home() string { return "http://localhost:" + l.port + "/" }

func (l *local) origin(host string) string {
	return "http://" + strings.ToLower(host) + ".localhost:" + l.port
}

func (l *local) list(rw http.ResponseWriter, r *http.Request) {
	type entry struct{ Host, URL string }
	var data struct {
		Port  string
		Hosts []entry
	}
	data.Port = l.port
	for _, h := range l.set.Hosts() {
		data.Hosts = append(data.Hosts, entry{h, l.origin(h) + "/"})
	}
	var buf bytes.Buffer
	if err := l.index.Execute(&buf, data); err != nil {
		write(rw, r, plain(http.StatusInternalServerError, err.Error()))
		return
	}
	write(rw, r, reply{status: http.StatusOK, contentType: contentTypes[".html"], body: buf.Bytes()})
}

// site answers as the session's Web would, with links made to work here.
func (l *local) site(rw http.ResponseWriter, r *http.Request, host string) {
	a := l.web.Load().answer(l.set.sites[host], host, rw, r)
	a.location = l.link(a.location)
	if strings.HasPrefix(a.contentType, "text/html") {
		a.body = []byte(l.links.Replace(string(a.body)))
	}
	write(rw, r, a)
}

// link makes a URL of a fixture host work here; others stay as they are.
func (l *local) link(s string) string {
	u, err := url.Parse(s)
	if err != nil || !l.set.Has(u.Host) {
		return s
	}
	u.Scheme, u.Host = "http", strings.TrimPrefix(l.origin(u.Host), "http://")
	return u.String()
}

// newLinks does for quoted attributes in HTML what link does for one URL.
func (l *local) newLinks() *strings.Replacer {
	var pairs []string
	for _, h := range l.set.Hosts() {
		for _, scheme := range []string{"http://", "https://"} {
			for _, end := range []string{"/", `"`, "?", "#"} {
				pairs = append(pairs, `"`+scheme+h+end, `"`+l.origin(h)+end)
			}
		}
	}
	return strings.NewReplacer(pairs...)
}
