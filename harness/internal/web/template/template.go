// Package template reads the templates of one host and makes pages of them. HTML templates
// escape for their place in the page; JSON templates insert every value as JSON.
//
// The package does not know what a page is about: the caller gives the data.
package template

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"text/template/parse"

	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// MaxSize bounds a template, and maxPage a page, in bytes: what a request makes a host remember
// can make a page long.
const (
	MaxSize = 256 << 10 // the caller keeps to it
	maxPage = 4 << 20
)

var errPage = fmt.Errorf("the page is larger than %d MiB; make it smaller", maxPage>>20)

// The ends of the names of templates.
const (
	HTMLSuffix = ".tmpl.html"
	JSONSuffix = ".tmpl.json"
)

// Is reports whether a file of this name is a template.
func Is(name string) bool {
	return strings.HasSuffix(name, HTMLSuffix) || strings.HasSuffix(name, JSONSuffix)
}

// Hidden reports whether a file is not a page: an element of its path begins with "_".
func Hidden(name string) bool {
	return strings.HasPrefix(name, "_") || strings.Contains(name, "/_")
}

// A Template makes pages. It is safe for concurrent use.
type Template struct {
	name string
	exec executor
}

// An executor is a template of html/template or text/template.
type executor interface {
	Execute(w io.Writer, data any) error
}

// A reader reads the templates of a host.
type reader struct {
	files map[string][]byte
	empty any
	at    func(name string) string
}

// Parse returns the templates among the files of a host, by name. They may use each other. It
// runs each page once on empty, the data of an empty request, so that a missing field or
// function is reported now and not in the middle of an episode. A partial may need other data,
// so it runs only through the pages that use it. values are what .Param of the data holds. at
// names a file in faults. Do not run templates with faults.
func Parse(files map[string][]byte, empty any, values param.Values, at func(name string) string) (found map[string]*Template, faults jsonfile.Faults) {
	r := &reader{files, empty, at}
	reported := make(map[jsonfile.Fault]bool) // a fault in a partial is found once for each page
	fault := func(name string, err error) {
		if f := r.fault(name, err); !reported[f] {
			reported[f] = true
			faults = append(faults, f)
		}
	}
	found = make(map[string]*Template)
	pages := template.New("").Funcs(funcs).Option("missingkey=zero")
	texts := texttemplate.New("").Funcs(funcs).Funcs(texttemplate.FuncMap{asJSON: jsonOf}).Option("missingkey=zero")
	bad := false // the definitions of a template with a fault are missing everywhere
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		var t executor
		var err error
		switch {
		case strings.HasSuffix(name, HTMLSuffix):
			t, err = pages.New(name).Parse(string(files[name]))
		case strings.HasSuffix(name, JSONSuffix):
			t, err = texts.New(name).Parse(string(files[name]))
		default:
			continue
		}
		if err != nil {
			bad = true
			fault(name, err)
			continue
		}
		found[name] = &Template{name, t}
	}
	insertAsJSON(texts)
	for _, parsed := range []map[string]*parse.Tree{
		trees(pages.Templates(), func(t *template.Template) *parse.Tree { return t.Tree }),
		trees(texts.Templates(), func(t *texttemplate.Template) *parse.Tree { return t.Tree }),
	} {
		for _, tree := range parsed {
			p := &paramNames{values: values, tree: tree, fault: func(err error) { fault(tree.ParseName, err) }}
			p.check(tree.Root, nil)
		}
	}
	for _, name := range names {
		if t := found[name]; t != nil && !Hidden(name) {
			if err := t.try(empty); err != nil && !(bad && lacksOne(err)) {
				fault(name, err)
			}
		}
	}
	return found, faults
}

// Run makes a page of the data.
func (t *Template) Run(data any) ([]byte, error) {
	out, err := t.run(data)
	if err == nil && t.json() && !json.Valid(out) {
		err = errors.New(t.name + " did not give valid JSON for this request")
	}
	return out, err
}

func (t *Template) run(data any) ([]byte, error) {
	out := limited{left: maxPage}
	err := t.exec.Execute(&out, data)
	return out.Bytes(), err
}

// limited is a buffer that takes at most left more bytes.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errPage
	}
	return l.Buffer.Write(p)
}

func (t *Template) json() bool { return strings.HasSuffix(t.name, JSONSuffix) }

// try runs a template on the data of an empty request.
func (t *Template) try(empty any) error {
	out, err := t.run(empty)
	if err != nil || !t.json() {
		return err
	}
	if err := json.Unmarshal(out, new(any)); err != nil {
		return fmt.Errorf("gives no valid JSON for an empty request: %w; write no quotes around a value, because it is inserted as JSON", err)
	}
	return nil
}

// lacksOne reports whether err means that a template is missing.
func lacksOne(err error) bool {
	e, ok := errors.AsType[*template.Error](err)
	return ok && e.ErrorCode == template.ErrNoSuchTemplate
}

// templateError matches the place in an error of the template packages: a file, a
// line and, except in syntax errors, a column that counts from 0.
var templateError = regexp.MustCompile(`(?s)^(?:html/)?template: ?(.+?):(\d+)(?::(\d+))?: (?:executing "(?:[^"\\]|\\.)*" at )?(.*)$`)

// fault returns the fault for a template's error, at its place. The place may be in
// another file than the one that was parsed or executed.
func (r *reader) fault(name string, err error) jsonfile.Fault {
	f := jsonfile.Whole(r.at(name), "")
	msg := err.Error()
	if m := templateError.FindStringSubmatch(msg); m != nil && r.has(m[1]) {
		f.File, msg = r.at(m[1]), m[4]
		f.Line, _ = strconv.Atoi(m[2])
		if col, err := strconv.Atoi(m[3]); err == nil {
			f.Col = col + 1
		}
	}
	msg, _, _ = strings.Cut(msg, ": {state") // an internal detail of html/template
	msg = strings.ReplaceAll(msg, fmt.Sprintf(" in type %T", r.empty), " in a page")
	f.Msg = display.VisibleTo(msg, 300)
	return f
}

func (r *reader) has(name string) bool {
	_, ok := r.files[name]
	return ok
}

// faultIn returns an error that reader.fault puts at the place of n.
func faultIn(t *parse.Tree, n parse.Node, msg string) error {
	at, _ := t.ErrorContext(n)
	return fmt.Errorf("template: %s: executing %q at %s", at, t.Name, msg)
}

// trees returns the parsed templates by name.
func trees[T executor](templates []T, of func(T) *parse.Tree) map[string]*parse.Tree {
	out := make(map[string]*parse.Tree)
	for _, t := range templates {
		if tree := of(t); tree != nil {
			out[tree.Name] = tree
		}
	}
	return out
}

// asJSON is the function that encodes a value as JSON. insertAsJSON adds it to every action
// of a JSON template, so that no value can break out of its place.
const asJSON = "_json"

func jsonOf(v any) (string, error) {
	if rows, ok := v.([]param.Row); ok && rows == nil {
		return "[]", nil
	}
	data, err := json.Marshal(v)
	return string(data), err
}

// insertAsJSON makes the templates insert every value as JSON: quoted strings, numbers and
// lists of rows.
func insertAsJSON(t *texttemplate.Template) {
	for _, t := range t.Templates() {
		if t.Tree != nil {
			endActions(t.Root)
		}
	}
}

// endActions appends asJSON to the pipeline of every action below n that inserts a value.
func endActions(n parse.Node) {
	for _, part := range children(n) {
		endActions(part)
	}
	if n, ok := n.(*parse.ActionNode); ok && len(n.Pipe.Decl) == 0 {
		name := parse.NewIdentifier(asJSON).SetPos(n.Pos)
		call := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{name}}
		n.Pipe.Cmds = append(n.Pipe.Cmds, call)
	}
}

// children returns the parts of a node: of an if, with or range first what it asks, then what it shows.
func children(n parse.Node) (parts []parse.Node) {
	pipe := func(p *parse.PipeNode) {
		if p != nil {
			parts = append(parts, p)
		}
	}
	branch := func(b *parse.BranchNode) {
		parts = append(parts, b.Pipe, b.List)
		if b.ElseList != nil {
			parts = append(parts, b.ElseList)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		parts = n.Nodes
	case *parse.ActionNode:
		pipe(n.Pipe)
	case *parse.TemplateNode:
		pipe(n.Pipe)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			parts = append(parts, c.Args...)
		}
	}
	return parts
}

var decimalNumber = regexp.MustCompile(`^-?[0-9]{1,15}(\.[0-9]{1,15})?$`)

// Decimal reads a number such as -12 or 39.50. It reports whether text is one.
func Decimal(text string) (float64, bool) {
	if !decimalNumber.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// sortRows returns the rows ordered by a column: first numbers, then other values as text.
// Rows with equal values keep their order.
func sortRows(column string, rows []param.Row) []param.Row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b param.Row) int {
		m, mIsNumber := Decimal(a[column])
		n, nIsNumber := Decimal(b[column])
		switch {
		case mIsNumber && nIsNumber:
			return cmp.Compare(m, n)
		case mIsNumber:
			return -1
		case nIsNumber:
			return 1
		}
		return strings.Compare(a[column], b[column])
	})
	return rows
}

// funcs are our functions of templates.
var funcs = map[string]any{
	"add":   func(a, b int) int { return a + b },
	"blank": func(s string) bool { return strings.TrimSpace(s) == "" },
	"mul":   func(a, b int) int { return a * b },
	"num":   Num,
	"sort":  sortRows,
}

// Num reads a whole number; anything else is 0.
func Num(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
