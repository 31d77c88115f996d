package sites

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A site is one host: its files by path inside the folder, and by the URL path
// that they answer.
type site struct {
	files    map[string]*file
	pages    map[string]*file
	routes   []*route
	notFound *file // 404.html, or nil
}

type file struct {
	name        string
	contentType string
	data        []byte
	tmpl        *template.Template // nil unless the name ends in .tmpl.html
}

// Page is what a template is executed with. Missing keys read as "". A field
// that was sent several times holds its values joined with ", ".
type Page struct {
	Method string            // GET, POST, …
	Host   string            // example.com
	Path   string            // the URL's path, decoded
	Query  map[string]string // the URL's query
	Form   map[string]string // the posted form
	Cookie map[string]string // the cookies the browser sent
	State  map[string]string // what routes kept in this session, for this host
}

const templateSuffix = ".tmpl.html"

// funcs are what templates may call beside html/template's own.
var funcs = template.FuncMap{
	"add":   func(a, b int) int { return a + b },
	"blank": func(s string) bool { return strings.TrimSpace(s) == "" },
	"mul":   func(a, b int) int { return a * b },
	"num":   num,
}

// num reads a whole number; anything else is 0.
func num(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// newSite checks the files of a host. at names a file in errors; all faults
// are in the error, one a line.
func newSite(files map[string][]byte, at func(name string) string) (*site, error) {
	s := &site{files: make(map[string]*file), pages: make(map[string]*file)}
	var faults []error
	fault := func(name string, err error) { faults = append(faults, fmt.Errorf("%s: %w", at(name), err)) }

	root := template.New("").Funcs(funcs).Option("missingkey=zero")
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		f := &file{name: name, contentType: contentType(name), data: files[name]}
		s.files[name] = f
		if strings.HasSuffix(name, templateSuffix) {
			var err error
			if f.tmpl, err = root.New(name).Parse(string(f.data)); err != nil {
				fault(name, err)
			}
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	for _, name := range names {
		f := s.files[name]
		// Run once on an empty page, so that a field or function that does not
		// exist shows now and not in the middle of an episode. A partial may
		// want another kind of data; it is run through the pages that use it.
		if f.tmpl != nil && !hidden(name) {
			if err := f.tmpl.Execute(io.Discard, Page{}); err != nil {
				fault(name, err)
			}
		}
		if name == "404.html" || name == "404"+templateSuffix {
			if s.notFound != nil {
				fault(name, fmt.Errorf("%s is a page for 404 too; remove one of the two", s.notFound.name))
			}
			s.notFound = f
		}
		for _, p := range urlPaths(name) {
			if other := s.pages[p]; other != nil {
				fault(name, fmt.Errorf("answers %s, as %s does; remove or rename one of the two", p, other.name))
				continue
			}
			s.pages[p] = f
		}
	}
	if data, ok := files[routesFile]; ok {
		routes, err := parseRoutes(data, at(routesFile), s)
		if err != nil {
			faults = append(faults, err)
		}
		s.routes = routes
	}
	return s, errors.Join(faults...)
}

// hidden reports whether a file is no page of its own: a path with an element
// that begins with "_".
func hidden(name string) bool {
	return strings.HasPrefix(name, "_") || strings.Contains(name, "/_")
}

// urlPaths returns the URL paths that a file answers without any route.
func urlPaths(name string) []string {
	if hidden(name) || name == routesFile {
		return nil
	}
	base, ok := strings.CutSuffix(name, templateSuffix)
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

// contentTypes is a table of our own, because the system's (mime.types) is not
// the same everywhere.
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
