package template

import (
	"bytes"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"

	"github.com/openchrome/bench/harness/internal/read/param"
)

// Limits of templates. Nothing outside can stop a template that runs, and html/template
// checks the body of a range twice and the template of a call up to three times. So a small
// file can double its work 40 times.
const (
	MaxSize = 256 << 10 // bytes of a file; the caller keeps to it
	maxCost = 200_000   // of the templates of a host, as coster counts it
	maxWork = 500_000   // of making one page, see work
	maxMade = 64 << 10  // bytes of the texts that a function joins
	maxPage = 4 << 20   // bytes of a page
)

var (
	errWork = errors.New("the page takes too much work; repeat less")
	errPage = fmt.Errorf("the page is larger than %d MiB; make it smaller", maxPage>>20)
)

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

// A coster computes how many nodes html/template looks at, at most, to check a template:
// the body of a range twice, and the template of a call three times.
type coster struct {
	trees map[string]*parse.Tree
	known map[string]int // by template; -1: is being computed
}

// check refuses templates that cost too much, and template actions that lead back to their
// template.
func (c *coster) check() error {
	total := 0
	for _, name := range slices.Sorted(maps.Keys(c.trees)) {
		cost, err := c.tree(name)
		if err != nil {
			return err
		}
		if total += cost; total > maxCost {
			t := c.trees[name]
			return faultIn(t, t.Root, "with this template, the host has too many or too large ones; use fewer")
		}
	}
	return nil
}

// tree returns the cost of a template.
func (c *coster) tree(name string) (cost int, err error) {
	t := c.trees[name]
	if t == nil || t.Root == nil {
		return 0, nil // not defined: html/template reports it
	}
	cost, ok := c.known[name]
	if !ok {
		c.known[name] = -1
		cost, err = c.node(t, t.Root)
		c.known[name] = cost
	}
	return cost, err
}

// node returns the cost of a node. It puts a call of spend at the beginning of the body of each
// range.
func (c *coster) node(t *parse.Tree, n parse.Node) (int, error) {
	cost := 1
	for _, part := range children(n) {
		more, err := c.node(t, part)
		if err != nil {
			return 0, err
		}
		cost += more
	}
	switch n := n.(type) {
	case *parse.RangeNode:
		n.List.Nodes = append([]parse.Node{spendNode(n, cost)}, n.List.Nodes...)
		cost *= 2
	case *parse.TemplateNode:
		called, err := c.tree(n.Name)
		if called < 0 {
			err = faultIn(t, n, "a template must not call itself, not even through others")
		}
		if err != nil {
			return 0, err
		}
		cost += 3 * called
	}
	if cost > maxCost {
		return 0, faultIn(t, n, "repeats or inserts too much; use fewer range and template actions inside of others")
	}
	return cost, nil
}

// spend is the function that counts the work of a range.
const spend = "_spend"

// spendNode returns {{if _spend cost}}{{end}}, which changes neither the page nor the context
// that html/template escapes for.
func spendNode(at *parse.RangeNode, cost int) parse.Node {
	text := strconv.Itoa(cost)
	args := []parse.Node{
		parse.NewIdentifier(spend).SetPos(at.Pos),
		&parse.NumberNode{NodeType: parse.NodeNumber, Pos: at.Pos, IsInt: true, Int64: int64(cost), Text: text},
	}
	return &parse.IfNode{BranchNode: parse.BranchNode{
		NodeType: parse.NodeIf, Pos: at.Pos, Line: at.Line,
		Pipe: &parse.PipeNode{NodeType: parse.NodePipe, Pos: at.Pos, Line: at.Line,
			Cmds: []*parse.CommandNode{{NodeType: parse.NodeCommand, Pos: at.Pos, Args: args}}},
		List: &parse.ListNode{NodeType: parse.NodeList, Pos: at.Pos},
	}}
}

// work bounds the work of the templates of a host. One template runs at a time, because the
// functions of a template cannot tell for which page they run. A page takes less than a
// millisecond.
type work struct {
	mu   sync.Mutex
	left int
}

// run executes a template.
func (w *work) run(t executor, data any) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = maxWork
	out := limited{left: maxPage}
	err := t.Execute(&out, data)
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

func (w *work) spend(n int) (bool, error) {
	if w.left -= n; n < 0 || w.left < 0 {
		return false, errWork
	}
	return false, nil
}

// funcs returns the functions of templates, with bounds: our own, and text/template's that make
// texts.
func (w *work) funcs() template.FuncMap {
	all := template.FuncMap{
		spend:   w.spend,
		"add":   func(a, b int) int { return a + b },
		"blank": func(s string) bool { return strings.TrimSpace(s) == "" },
		"mul":   func(a, b int) int { return a * b },
		"num":   Num,
		"sort": func(column string, rows []param.Row) ([]param.Row, error) {
			_, err := w.spend(8 * len(rows))
			return sortRows(column, rows), err
		},
		"printf": func(format string, args ...any) (string, error) {
			if wide.MatchString(format) {
				return "", errors.New("takes no width above 99, no * and no [")
			}
			return w.text(func(all ...any) string { return fmt.Sprintf(format, all[1:]...) }, append([]any{format}, args...))
		},
	}
	for name, f := range map[string]func(...any) string{
		"html": htmltemplate.HTMLEscaper, "js": htmltemplate.JSEscaper, "print": fmt.Sprint,
		"println": fmt.Sprintln, "urlquery": htmltemplate.URLQueryEscaper,
	} {
		all[name] = func(args ...any) (string, error) { return w.text(f, args) }
	}
	return all
}

var wide = regexp.MustCompile(`[*\[]|[0-9]{3}`)

// text calls f, which makes a text of its arguments, unless these are too long.
func (w *work) text(f func(...any) string, args []any) (string, error) {
	size := 16 * len(args)
	for _, arg := range args {
		switch v := reflect.ValueOf(arg); v.Kind() {
		case reflect.String:
			size += v.Len()
		case reflect.Map, reflect.Slice, reflect.Array, reflect.Struct, reflect.Pointer:
			return "", fmt.Errorf("takes texts, numbers, true and false, but not %s", v.Kind())
		}
	}
	if size > maxMade {
		return "", fmt.Errorf("would make a text of more than %d KiB; make it shorter", maxMade>>10)
	}
	if _, err := w.spend(1 + size/64); err != nil {
		return "", err
	}
	return f(args...), nil
}
