package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

const (
	templateSuffix = ".tmpl.html"
	jsonSuffix     = ".tmpl.json"
)

func isTemplate(name string) bool {
	return strings.HasSuffix(name, templateSuffix) || strings.HasSuffix(name, jsonSuffix)
}

// sortRows returns the rows ordered by a column: first numbers, then other values as text.
// Rows with equal values keep their order.
func sortRows(column string, rows []row) []row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b row) int {
		m, mIsNumber := decimal(a[column])
		n, nIsNumber := decimal(b[column])
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

// num reads a whole number; anything else is 0.
func num(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// parse reads the templates among the files and runs each page once on an empty [Page], so
// that a missing field or function is reported now and not in the middle of an episode. A
// partial may need other data, so it runs only through the pages that use it.
func (s *site) parse(names []string, at func(name string) string) (faults jsonfile.Faults) {
	reported := make(map[jsonfile.Fault]bool) // a fault in a partial is found once for each page
	fault := func(name string, err error) {
		if f := s.templateFault(name, err, at); !reported[f] {
			reported[f] = true
			faults = append(faults, f)
		}
	}
	work := new(work)
	pages := template.New("").Funcs(work.funcs()).Option("missingkey=zero")
	texts := newJSONTemplates(work.funcs())
	bad := false // the definitions of a template with a fault are missing everywhere
	for _, name := range names {
		f := s.files[name]
		var t executor
		var err error
		switch {
		case strings.HasSuffix(name, templateSuffix):
			t, err = pages.New(name).Parse(string(f.data))
		case strings.HasSuffix(name, jsonSuffix):
			t, err = texts.New(name).Parse(string(f.data))
		default:
			continue
		}
		if err != nil {
			bad = true
			fault(name, err)
			continue
		}
		f.tmpl, f.work = t, work
	}
	insertAsJSON(texts)
	for _, parsed := range []map[string]*parse.Tree{trees(pages.Templates()), jsonTrees(texts.Templates())} {
		for _, tree := range parsed {
			p := &paramNames{values: s.values, tree: tree, fault: func(err error) { fault(tree.ParseName, err) }}
			p.check(tree.Root, nil)
		}
		c := &coster{trees: parsed, known: make(map[string]int), fault: func(tree *parse.Tree, n parse.Node, msg string) {
			fault(tree.ParseName, faultIn(tree, n, msg))
		}}
		if c.check(); c.bad {
			return faults
		}
	}
	for _, name := range names {
		if f := s.files[name]; f.tmpl != nil && !hidden(name) {
			if err := s.execute(f); err != nil && !(bad && lacksOne(err)) {
				fault(name, err)
			}
		}
	}
	return faults
}

// execute runs a template on an empty [Page].
func (s *site) execute(f *file) error {
	out, err := f.work.run(f.tmpl, Page{Param: s.values})
	if err != nil || !f.json() {
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

// templateFault returns the fault for a template's error, at its place. The place may be in
// another file than the one that was parsed or executed.
func (s *site) templateFault(name string, err error, at func(name string) string) jsonfile.Fault {
	f := jsonfile.Whole(at(name), "")
	msg := err.Error()
	if m := templateError.FindStringSubmatch(msg); m != nil && s.files[m[1]] != nil {
		f.File, msg = at(m[1]), m[4]
		f.Line, _ = strconv.Atoi(m[2])
		if col, err := strconv.Atoi(m[3]); err == nil {
			f.Col = col + 1
		}
	}
	if errors.Is(err, errWork) {
		msg = errWork.Error() // without our function's name
	}
	msg, _, _ = strings.Cut(msg, ": {state") // an internal detail of html/template
	msg = strings.ReplaceAll(msg, fmt.Sprintf(" in type %T", Page{}), "; the fields are Method, Host, Path, Query, Form, JSON, Cookie, State, List and Param")
	f.Msg = display.VisibleTo(msg, 300)
	return f
}

// faultIn returns an error that templateFault puts at the place of n.
func faultIn(t *parse.Tree, n parse.Node, msg string) error {
	at, _ := t.ErrorContext(n)
	return fmt.Errorf("template: %s: executing %q at %s", at, t.Name, msg)
}

// trees returns the parsed templates by name.
func trees(templates []*template.Template) map[string]*parse.Tree {
	out := make(map[string]*parse.Tree)
	for _, t := range templates {
		if t.Tree != nil {
			out[t.Name()] = t.Tree
		}
	}
	return out
}
