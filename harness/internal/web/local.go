package web

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
	"sync/atomic"
)

//go:embed local.tmpl.html
var localIndex string

// NewLocal returns a handler that shows all hosts of s to a person, at one port of localhost.
//
// http://localhost:port/ lists the hosts. Each host is at http://HOST.localhost:port/,
// which browsers resolve by themselves. Links from one fixture host to another use these
// addresses too. State stays until "start over".
func NewLocal(s *Set, port string) http.Handler {
	l := &local{set: s, port: port}
	l.index = template.Must(template.New("index").Parse(localIndex))
	l.links = l.newLinks()
	l.web.Store(s.NewWeb())
	return l
}

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
	switch {
	case r.URL.Path == "/start-over" && r.Method == http.MethodPost:
		l.web.Store(l.set.NewWeb())
		write(rw, r, reply{status: http.StatusSeeOther, location: "/"})
	case r.URL.Path == "/":
		l.list(rw, r)
	default:
		write(rw, r, plain(http.StatusNotFound, "no such page; http://localhost:"+l.port+"/ lists the sites"))
	}
}

func (l *local) origin(host string) string { return "http://" + host + ".localhost:" + l.port }

func (l *local) list(rw http.ResponseWriter, r *http.Request) {
	var buf bytes.Buffer
	if err := l.index.Execute(&buf, map[string]any{"Port": l.port, "Hosts": l.set.Hosts()}); err != nil {
		write(rw, r, plain(http.StatusInternalServerError, err.Error()))
		return
	}
	write(rw, r, reply{status: http.StatusOK, contentType: contentTypes[".html"], body: buf.Bytes()})
}

// site answers like the session's Web, but rewrites links so that they work here.
func (l *local) site(rw http.ResponseWriter, r *http.Request, host string) {
	site := l.set.site(host)
	if site == nil {
		write(rw, r, plain(http.StatusMisdirectedRequest, "no task has values for "+host+`; list the host in "sites" of a params.json`))
		return
	}
	web := l.web.Load()
	a := web.answer(site, host, rw, r)
	a.wait(r)
	a.location = strings.Trim(l.links.Replace(`"`+a.location+`"`), `"`)
	if strings.HasPrefix(a.contentType, "text/html") {
		a.body = []byte(l.links.Replace(string(a.body)))
	}
	web.send(rw, r, a, func() {})
}

// newLinks rewrites quoted URLs of fixture hosts so that they work here. Other URLs stay
// unchanged.
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
