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
	MaxSize      = 256 << 10 // bytes of a file; the caller keeps to it
	maxTemplates = 500       // of a host
	maxCost      = 200_000   // of the templates of a host, as coster counts it
	maxWork      = 500_000   // of making one page, see work
	maxMade      = 64 << 10  // bytes of a text that a function makes
	maxPage      = 4 << 20   // bytes of a page
)

var (
	errWork = errors.New("the page takes too much work; repeat less")
	errPage = fmt.Errorf("the page is larger than %d MiB; make it smaller", maxPage>>20)
)

// A coster computes how many nodes html/template looks at, at most, to check a template:
// the body of a range twice, and the template of a call three times.
type coster struct {
	trees map[string]*parse.Tree
	known map[string]int // by template; -1: is being computed
	fault func(t *parse.Tree, at parse.Node, msg string)
	bad   bool // a fault was reported
}

// check reports templates that cost too much, and template actions that lead back to their
// template.
func (c *coster) check() {
	total := 0
	for _, name := range slices.Sorted(maps.Keys(c.trees)) {
		if total += c.tree(name); c.bad {
			return
		}
		if t := c.trees[name]; total > maxCost || len(c.known) > maxTemplates {
			c.refuse(t, t.Root, "with this template, the host has too many or too large ones; use fewer")
		}
	}
}

// tree returns the cost of a template.
func (c *coster) tree(name string) int {
	t := c.trees[name]
	if t == nil || t.Root == nil {
		return 0 // not defined: html/template reports it
	}
	if cost, ok := c.known[name]; ok {
		return cost
	}
	c.known[name] = -1
	cost := c.list(t, t.Root)
	c.known[name] = cost
	return cost
}

// list returns the cost of a list of nodes. It puts a call of spend at the beginning of the
// body of each range.
func (c *coster) list(t *parse.Tree, n *parse.ListNode) int {
	cost := 0
	if n == nil {
		return cost
	}
	for _, inner := range n.Nodes {
		if cost += c.node(t, inner); c.bad {
			return cost
		}
		if cost > maxCost {
			c.refuse(t, inner, "repeats or inserts too much; use fewer range and template actions inside of others")
			return cost
		}
	}
	return cost
}

func (c *coster) node(t *parse.Tree, n parse.Node) int {
	switch n := n.(type) {
	case *parse.ActionNode:
		return 1 + size(n.Pipe)
	case *parse.IfNode:
		return 1 + size(n.Pipe) + c.list(t, n.List) + c.list(t, n.ElseList)
	case *parse.WithNode:
		return 1 + size(n.Pipe) + c.list(t, n.List) + c.list(t, n.ElseList)
	case *parse.RangeNode:
		body := c.list(t, n.List)
		n.List.Nodes = append([]parse.Node{spendNode(n, body+3)}, n.List.Nodes...)
		return 1 + size(n.Pipe) + 2*body + c.list(t, n.ElseList)
	case *parse.TemplateNode:
		called := c.tree(n.Name)
		if called < 0 {
			c.refuse(t, n, "a template must not call itself, not even through others")
			return 0
		}
		return 1 + size(n.Pipe) + 3*called
	}
	return 1
}

func (c *coster) refuse(t *parse.Tree, at parse.Node, msg string) {
	if !c.bad {
		c.bad = true
		c.fault(t, at, msg)
	}
}

// size returns the number of arguments in a pipeline.
func size(n *parse.PipeNode) int {
	if n == nil {
		return 0
	}
	total := 0
	for _, cmd := range n.Cmds {
		for _, arg := range cmd.Args {
			total++
			if pipe, ok := arg.(*parse.PipeNode); ok {
				total += size(pipe)
			}
		}
	}
	return total
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
	mu    sync.Mutex
	left  int
	scale int // 1, or more if the data has long texts
}

// run executes a template on data whose longest text has this length.
func (w *work) run(t executor, data any, longest int) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left, w.scale = maxWork, 1+longest/maxMade
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
	if n < 0 || n > w.left/w.scale {
		return false, errWork
	}
	w.left -= n * w.scale
	return false, nil
}

// funcs returns the functions of templates, with bounds: our own, and text/template's that make
// texts.
func (w *work) funcs() template.FuncMap {
	return template.FuncMap{
		spend:   w.spend,
		"add":   func(a, b int) int { return a + b },
		"blank": func(s string) bool { return strings.TrimSpace(s) == "" },
		"mul":   func(a, b int) int { return a * b },
		"num":   Num,
		"sort": func(column string, rows []param.Row) ([]param.Row, error) {
			if _, err := w.spend(8 * len(rows)); err != nil {
				return nil, err
			}
			return sortRows(column, rows), nil
		},
		"html":     func(args ...any) (string, error) { return w.text(htmltemplate.HTMLEscaper, 0, args) },
		"js":       func(args ...any) (string, error) { return w.text(htmltemplate.JSEscaper, 0, args) },
		"print":    func(args ...any) (string, error) { return w.text(fmt.Sprint, 0, args) },
		"println":  func(args ...any) (string, error) { return w.text(fmt.Sprintln, 0, args) },
		"urlquery": func(args ...any) (string, error) { return w.text(htmltemplate.URLQueryEscaper, 0, args) },
		"printf": func(format string, args ...any) (string, error) {
			if strings.ContainsAny(format, "*[") || wide.MatchString(format) {
				return "", errors.New("takes no width above 99, no * and no [")
			}
			sprintf := func(args ...any) string { return fmt.Sprintf(format, args...) }
			return w.text(sprintf, len(format)+widest*strings.Count(format, "%"), args)
		},
	}
}

// widest is the length of the longest text of a number, with a width and a precision.
const widest = 500

var wide = regexp.MustCompile(`[0-9]{3}`)

// text calls f, which makes a text of its arguments. It first checks that the text will not
// be too long. more is what f adds to the arguments, in bytes.
func (w *work) text(f func(...any) string, more int, args []any) (string, error) {
	size := more
	for _, arg := range args {
		switch v := reflect.ValueOf(arg); v.Kind() {
		case reflect.String:
			size += v.Len()
		case reflect.Map, reflect.Slice, reflect.Array, reflect.Struct, reflect.Pointer:
			return "", fmt.Errorf("takes texts, numbers, true and false, but not %s", v.Kind())
		default:
			size += 16
		}
	}
	if size > maxMade {
		return "", fmt.Errorf("would make a text of more than %d KiB; make it shorter", maxMade>>10)
	}
	_, err := w.spend(1 + size/64)
	if err != nil {
		return "", err
	}
	return f(args...), nil
}
