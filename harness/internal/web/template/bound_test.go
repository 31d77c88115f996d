package template

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// data is the data of a page.
type data struct {
	Path  string
	Query map[string]string
	State map[string]string
	List  map[string][]param.Row
	Param param.Values
}

func own(name string) string { return name }

// read reads a page that is the only template of its host.
func read(page string) (map[string]*Template, jsonfile.Faults) {
	return Parse(map[string][]byte{"index.tmpl.html": []byte(page)}, data{}, nil, own)
}

// run returns the page for a query, or the error.
func run(t *testing.T, tmpl *Template, query string) string {
	t.Helper()
	values, err := url.ParseQuery(query)
	need.OK(t, err)
	d := data{Path: "/", Query: make(map[string]string)}
	for name := range values {
		d.Query[name] = values.Get(name)
	}
	page, err := tmpl.Run(d)
	if err != nil {
		return err.Error()
	}
	return string(page)
}

// doubling returns templates that each insert the next one twice.
func doubling(n int, last string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{{define \"t%d\"}}{{template \"t%d\" .}}{{template \"t%d\" .}}{{end}}\n", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "{{define \"t%d\"}}%s{{end}}\n{{template \"t0\" .}}", n, last)
	return b.String()
}

// bombs are small templates that would take hours, or all memory.
var bombs = map[string]struct{ page, want string }{
	"doubling": {doubling(40, "x"), "index.tmpl.html:34:28: repeats or inserts too much; use fewer range and template actions inside of others"},
	"doubling with a fault": {strings.ReplaceAll(doubling(40, "{{if .}}<script>{{else}}<p>{{end}}"), "{{template \"t0\" .}}", "\n{{template \"t0\" .}}"),
		"index.tmpl.html:35:28: repeats or inserts too much; use fewer range and template actions inside of others"},
	"nested ranges": {strings.Repeat("{{range .List.a}}\n", 40) + strings.Repeat("{{end}}", 40),
		"index.tmpl.html:26:9: repeats or inserts too much; use fewer range and template actions inside of others"},
	"calls itself":     {`{{define "a"}}<script>` + "`${ {{template \"a\" .}}{{end}}{{template \"a\" .}}", "index.tmpl.html:1:38: a template must not call itself, not even through others"},
	"call each other":  {"{{define \"a\"}}{{template \"b\"}}{{end}}\n{{define \"b\"}}{{if .}}{{template \"a\"}}{{end}}{{end}}", "index.tmpl.html:2:34: a template must not call itself, not even through others"},
	"number":           {"\n{{range 10000000000}}{{end}}", "index.tmpl.html:2:9: the page takes too much work; repeat less"},
	"nested numbers":   {"{{range 100000}}\n{{range 100000}}{{end}}{{end}}", "index.tmpl.html:2:9: the page takes too much work; repeat less"},
	"text in a range":  {`{{range 100000}}` + strings.Repeat("x", 1000) + "{{end}}", "index.tmpl.html: the page is larger than 4 MiB; make it smaller"},
	"text that grows":  {`{{$x := "aa"}}{{range 40}}{{$x = print $x $x}}{{end}}`, `index.tmpl.html:1:34: <print $x $x>: error calling print: would make a text of more than 64 KiB; make it shorter`},
	"straight":         {`{{$x := "aa"}}` + strings.Repeat("{{$x = print $x $x}}", 40), `index.tmpl.html:1:302: <print $x $x>: error calling print: would make a text of more than 64 KiB; make it shorter`},
	"js":               {`{{$x := "\\"}}{{range 40}}{{$x = js $x}}{{end}}`, `index.tmpl.html:1:34: <js $x>: error calling js: would make a text of more than 64 KiB; make it shorter`},
	"wide":             {`{{printf "%1000000d%1000000d" 1 2}}`, `index.tmpl.html:1:3: <printf "%1000000d%1000000d" 1 2>: error calling printf: takes no width above 99, no * and no [`},
	"wide by argument": {`{{printf "%*d" 1000000 1}}`, `index.tmpl.html:1:3: <printf "%*d" 1000000 1>: error calling printf: takes no width above 99, no * and no [`},
	"repeated by index": {`{{$x := "a"}}{{printf "` + strings.Repeat("%[1]s", 3) + `" $x}}`,
		`index.tmpl.html:1:16: <printf "%[1]s%[1]s%[1]s" $x>: error calling printf: takes no width above 99, no * and no [`},
	"all data":     {"{{len (print .)}}", `index.tmpl.html:1:8: <print .>: error calling print: takes texts, numbers, true and false, but not struct`},
	"deep":         {strings.Repeat("{{if .Path}}", MaxSize/19) + strings.Repeat("{{end}}", MaxSize/19), ""},
	"many":         {defines(3, "{{range .}}"+strings.Repeat("{{.}}", 15_000)+"{{end}}"), "index.tmpl.html:1:150096: with this template, the host has too many or too large ones; use fewer"},
	"many actions": {strings.Repeat("{{.}}", MaxSize/5), ""},
}

func defines(n int, body string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{{define "t%d"}}%s{{end}}`, i, body)
	}
	return b.String()
}

// Each bomb is found when it is read, at its place.
func TestBombs(t *testing.T) {
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			before := allocated()
			_, faults := read(bomb.page)
			got := ""
			if len(faults) > 0 {
				got = faults.Error()
			}
			need.Equal(t, "faults", bomb.want, got)
			if made := allocated() - before; made > 200<<20 {
				t.Errorf("%d MB were allocated", made>>20)
			}
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A template can also depend on the request.
func TestBombOnRequest(t *testing.T) {
	for name, c := range map[string]struct{ page, query, want string }{
		"number":      {`{{range num .Query.n}}{{end}}`, "n=10000000000", `template: index.tmpl.html:1:8: executing "index.tmpl.html" at <_spend 5>: error calling _spend: the page takes too much work; repeat less`},
		"text":        {`{{$x := .Query.x}}{{range num .Query.n}}{{$x = print $x $x}}{{end}}`, "n=40&x=a", `template: index.tmpl.html:1:47: executing "index.tmpl.html" at <print $x $x>: error calling print: would make a text of more than 64 KiB; make it shorter`},
		"page":        {`{{range num .Query.n}}{{$.Query.x}}{{end}}`, "n=100000&x=" + strings.Repeat("x", 1000), "the page is larger than 4 MiB; make it smaller"},
		"comparisons": {`{{$x := print .Query.x "a"}}{{range num .Query.n}}{{if eq $.Query.x $x}}{{end}}{{end}}`, "n=400000&x=" + strings.Repeat("x", 500_000), `would make a text of more than 64 KiB`},
		"fine":        {`{{range num .Query.n}}{{.}} {{end}}`, "n=3", "0 1 2 "},
	} {
		t.Run(name, func(t *testing.T) {
			templates, faults := read(c.page)
			need.OK(t, faults.Err())
			if got := run(t, templates["index.tmpl.html"], c.query); !strings.Contains(got, c.want) {
				t.Errorf("%.300q, want %q", got, c.want)
			}
		})
	}
}

// FuzzTemplate holds that a template without faults makes a page of a bounded size, or answers
// with an error. A template that does not end is found by the time limit of fuzzing.
func FuzzTemplate(f *testing.F) {
	for _, bomb := range bombs {
		if len(bomb.page) < 10_000 {
			f.Add(bomb.page)
		}
	}
	f.Add(`{{define "a"}}{{range .}}{{.name}}{{else}}none{{end}}{{end}}{{template "a" sort "n" .List.l}}{{block "b" .}}{{printf "%5.2q" .Path}}{{end}}`)
	f.Add(`{{print $}}{{$x := $}}{{print $x}}`)
	f.Fuzz(func(t *testing.T, page string) {
		templates, faults := Parse(map[string][]byte{"index.tmpl.html": []byte(page), "index2.tmpl.json": []byte(page)}, data{}, nil, own)
		for _, fault := range faults {
			if !strings.HasPrefix(fault.Error(), "index") {
				t.Errorf("fault %q", fault)
			}
		}
		if len(faults) > 0 {
			return
		}
		if got := run(t, templates["index.tmpl.html"], "n=1000000&x=abc"); len(got) > maxPage {
			t.Errorf("the page has %d bytes", len(got))
		}
	})
}
