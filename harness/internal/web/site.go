package web

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web/route"
	"github.com/openchrome/bench/harness/internal/web/template"
)

// A site is one host. It maps paths in the folder to files, and URL paths to the files that
// answer them.
type site struct {
	files    map[string]*file
	pages    map[string]*file
	routes   []*route.Route
	start    *route.State // nil: state.json has faults
	notFound *file        // 404.html, or nil
	values   param.Values
}

type file struct {
	name        string
	contentType string
	data        []byte
	tmpl        *template.Template // nil: not a template
}

// Page is the data of a template. Missing keys read as "". A field that was sent
// several times holds its values joined with ", ".
type Page struct {
	Method string                 // GET, POST, …
	Host   string                 // example.com
	Path   string                 // the URL's path, decoded
	Query  map[string]string      // the URL's query
	Form   map[string]string      // the posted form
	JSON   map[string]string      // the posted JSON
	Cookie map[string]string      // the cookies the browser sent
	State  map[string]string      // the state that routes kept in this session, for this host
	List   map[string][]param.Row // the lists in that state
	Param  param.Values           // the values that were drawn for the task

	header  http.Header
	queried bool              // the URL has a query, whatever it is
	sent    url.Values        // the query, and the form or JSON, which takes precedence
	joined  map[string]string // sent, with the values of each field joined once, because a state may keep them often
}

// newSite checks the files of a host, which may use values, and returns all faults. A file
// that could not be read is nil. at names a file in faults.
func newSite(files map[string][]byte, values param.Values, at func(name string) string) (*site, jsonfile.Faults) {
	s := &site{files: make(map[string]*file), pages: make(map[string]*file), start: route.NewState(), values: values}
	names := slices.Sorted(maps.Keys(files))
	templates, faults := template.Parse(files, Page{Param: values}, values, at)
	for _, name := range names {
		s.files[name] = &file{name: name, contentType: contentType(name), data: files[name], tmpl: templates[name]}
	}
	for _, name := range names {
		f := s.files[name]
		if name == "404.html" || name == "404"+template.HTMLSuffix {
			if s.notFound != nil {
				faults = append(faults, jsonfile.Whole(at(name), "%s is a page for 404 too; remove one of the two", s.notFound.name))
			}
			s.notFound = f
		}
		var reported *file
		for _, p := range urlPaths(name) {
			other := s.pages[p]
			switch {
			case other == nil:
				s.pages[p] = f
			case other != reported:
				reported = other
				faults = append(faults, jsonfile.Whole(at(name), "answers %s, as %s does; remove or rename one of the two",
					display.VisibleTo(p, 60), display.VisibleTo(other.name, 60)))
			}
		}
	}
	if data := files[route.StateFile]; data != nil {
		start, more := route.ParseState(data, at(route.StateFile), values)
		if s.start, faults = start, append(faults, more...); len(more) > 0 {
			s.start = nil
		}
	}
	if data := files[route.RoutesFile]; data != nil {
		routes, more := route.Parse(data, at(route.RoutesFile), route.Host{
			Values:  values,
			Start:   s.start,
			HasFile: func(name string) bool { return s.files[name] != nil },
			HasPage: func(path string) bool { return s.pages[path] != nil },
		})
		s.routes, faults = routes, append(faults, more...)
	}
	return s, faults
}

// urlPaths returns the URL paths that a file answers without any route.
func urlPaths(name string) []string {
	if template.Hidden(name) || name == route.RoutesFile || name == route.StateFile {
		return nil
	}
	if base, ok := strings.CutSuffix(name, template.JSONSuffix); ok {
		return []string{"/" + base + ".json"}
	}
	base, ok := strings.CutSuffix(name, template.HTMLSuffix)
	if !ok {
		base, ok = strings.CutSuffix(name, ".html")
	}
	switch {
	case !ok:
		return []string{"/" + name}
	case base == "404":
		return nil
	case base == "index":
		return []string{"/", "/index.html"}
	case path.Base(base) == "index":
		dir := "/" + path.Dir(base)
		return []string{dir, dir + "/", dir + "/index.html"}
	}
	return []string{"/" + base, "/" + base + ".html"}
}

// contentTypes is our own table, because the system's table (mime.types) differs between
// machines.
var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".csv":   "text/csv; charset=utf-8",
	".gif":   "image/gif",
	".html":  "text/html; charset=utf-8",
	".ico":   "image/x-icon",
	".jpeg":  "image/jpeg",
	".jpg":   "image/jpeg",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".mjs":   "text/javascript; charset=utf-8",
	".pdf":   "application/pdf",
	".png":   "image/png",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".wasm":  "application/wasm",
	".webp":  "image/webp",
	".woff2": "font/woff2",
	".xml":   "text/xml; charset=utf-8",
}

func contentType(name string) string {
	if t, ok := contentTypes[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return "application/octet-stream"
}
