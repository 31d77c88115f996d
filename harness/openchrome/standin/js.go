package standin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

const (
	maxCode    = 64 << 10
	maxNesting = 500       // brackets; the parser recurses
	maxStack   = 1000      // JavaScript calls
	maxMemory  = 128 << 20 // growth of the heap during one evaluation
	patience   = 50 * time.Millisecond
)

func (s *Server) javascript(ctx context.Context, args arguments) (*mcp.CallToolResult, error) {
	code := args.str("code")
	if code == "" {
		code = args.str("text")
	}
	if args.str("tabId") != "" && code == "" {
		return fail("Error: code is required (JS code to execute)"), nil
	}
	p, err := s.page(args, "JavaScript execution error")
	if err != nil {
		return nil, err
	}
	limit := args.num("timeout", 0)
	if limit <= 0 {
		limit = 30000
	}
	v, err := s.evaluate(ctx, p, code, time.Duration(limit*float64(time.Millisecond)))
	switch {
	case errors.Is(err, errTimeout):
		return fail("JavaScript execution error: JS execution timed out after %sms", jsString(limit)), nil
	case err != nil:
		return nil, err
	}
	return text("%s", v.text), nil
}

// value is the outcome of an expression: what javascript_tool shows of it.
type value struct {
	text   string
	truthy bool
	thrown bool // the error of evaluate is an exception of the code
}

var (
	errTimeout = errors.New("time is up")
	errMemory  = errors.New("out of memory")
)

// evaluate runs code over a read-only view of p. OpenChrome answers {} for
// code with a semicolon, a line break or the word return, whatever it does;
// so does this, unless the code does what a view cannot.
func (s *Server) evaluate(ctx context.Context, p *browser.Page, code string, limit time.Duration) (value, error) {
	code = strings.TrimSpace(code)
	if len(code) > maxCode || nesting(code) > maxNesting {
		return value{}, s.refuse("code that long")
	}
	statements := strings.ContainsAny(code, "\n;") || returns.MatchString(code)
	async := statements
	if statements {
		code = asFunction(code)
	}
	program, err := compile(code, &async)
	var refusal browser.Beyond
	switch {
	case errors.As(err, &refusal):
		return value{}, s.refuse(string(refusal))
	case err != nil:
		return value{thrown: true}, fmt.Errorf("JavaScript error: %w", err)
	}
	r := newRealm(p, code)
	type outcome struct {
		v   value
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := r.run(program, async && !statements)
		done <- outcome{v, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	watch := time.NewTicker(5 * time.Millisecond)
	defer watch.Stop()
	start := heap()
	for {
		var stop error
		select {
		case o := <-done:
			if what := r.refused(); what != "" {
				return value{}, s.refuse(what)
			}
			if statements && o.err != nil && o.v.thrown {
				return value{text: "{}", truthy: true}, nil // OpenChrome loses the exception too
			}
			return o.v, o.err
		case <-ctx.Done():
			stop = ctx.Err()
		case <-timer.C:
			stop = errTimeout
		case <-watch.C:
			if heap()-min(start, heap()) < maxMemory {
				continue
			}
			stop = errMemory
		}
		// A built-in function may run on for a while; it no longer sees the
		// page, and ends at its next step in the interpreter.
		r.stop(stop)
		select {
		case <-done:
		case <-time.After(patience):
		}
		if errors.Is(stop, errMemory) {
			return value{}, s.refuse("code that needs that much memory")
		}
		return value{}, stop
	}
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

var returns = regexp.MustCompile(`\breturn\b`)

// asFunction wraps statements as OpenChrome does, which turns the last line
// into the result where it looks like an expression.
func asFunction(code string) string {
	if !returns.MatchString(code) {
		var lines []string
		for line := range strings.SplitSeq(code, "\n") {
			if strings.TrimSpace(line) != "" {
				lines = append(lines, line)
			}
		}
		last := strings.TrimSpace(lines[len(lines)-1])
		if !statement.MatchString(last) {
			lines[len(lines)-1] = "return " + last
			code = strings.Join(lines, "\n")
		}
	}
	return "(async () => { " + code + "\n})()"
}

var statement = regexp.MustCompile(`^(?:(?:let|const|var|function|class) |if|else|for|while|do|switch|try|catch|finally|//|/\*|\})`)

// compile parses one expression. Code with a top-level await is made a
// function, and async is set.
func compile(code string, async *bool) (program *goja.Program, err error) {
	defer func() {
		if r := recover(); r != nil { // goja panics on some regular expressions
			program, err = nil, browser.Beyond("code that this parser stumbles over")
		}
	}()
	tree, err := goja.Parse("<anonymous>", code)
	if err != nil && !*async && strings.Contains(code, "await") {
		if awaited, e := goja.Parse("<anonymous>", "(async () => ("+code+"\n))()"); e == nil {
			tree, err, *async = awaited, nil, true
		}
	}
	if err != nil {
		words := strings.TrimPrefix(syntaxPlace.ReplaceAllString(err.Error(), ""), "SyntaxError: ")
		words = strings.Replace(words, "Unexpected token ILLEGAL", "Invalid or unexpected token", 1)
		return nil, fmt.Errorf("SyntaxError: %s", unexpected.ReplaceAllString(words, "Unexpected token '$1'"))
	}
	if len(tree.Body) != 1 {
		return nil, browser.Beyond("code that is not one expression")
	}
	if _, ok := tree.Body[0].(*ast.ExpressionStatement); !ok {
		return nil, browser.Beyond("code that is not one expression")
	}
	return goja.CompileAST(tree, false)
}

var syntaxPlace = regexp.MustCompile(`<anonymous>: Line \d+:\d+ | \(and \d+ more errors\)| at <anonymous>:\d+:\d+`)

var unexpected = regexp.MustCompile(`Unexpected token (\S+)$`)

// nesting is how deep the brackets of code go, at most: strings count too.
func nesting(code string) int {
	deepest, depth, prefix := 0, 0, 0
	for i := range len(code) {
		switch code[i] {
		case '(', '[', '{':
			depth++
			prefix++
		case ')', ']', '}':
			depth--
		case '!', '~', '-', '+', '>', '?', '*':
			prefix++ // unary operators, arrows and conditionals nest as well
		}
		deepest = max(deepest, depth)
	}
	return max(deepest, prefix/8)
}

// run executes program and formats its value. async says that the value is
// wanted of the promise that the program makes.
func (r *realm) run(program *goja.Program, async bool) (v value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = browser.Beyond("this code")
			r.refuse("this code")
		}
	}()
	result, err := r.vm.RunProgram(program)
	if err == nil && async {
		promise, _ := result.Export().(*goja.Promise)
		switch promise.State() {
		case goja.PromiseStateFulfilled:
			result = promise.Result()
		case goja.PromiseStateRejected:
			return value{thrown: true}, fmt.Errorf("JavaScript error: %s", r.describe(promise.Result(), nil))
		default:
			r.refuse("a promise that waits for something")
			return value{}, nil
		}
	}
	var thrown *goja.Exception
	var overflow *goja.StackOverflowError
	switch {
	case errors.As(err, &overflow):
		return value{thrown: true}, errors.New("JavaScript error: RangeError: Maximum call stack size exceeded")
	case errors.As(err, &thrown):
		return value{thrown: true}, fmt.Errorf("JavaScript error: %s", r.describe(thrown.Value(), thrown.Stack()))
	case err != nil:
		return value{}, err // interrupted
	}
	if assigns.MatchString(r.code) && len(r.vm.GlobalObject().Keys()) > 0 {
		r.refuse("a global variable that outlives the call")
	}
	return value{text: r.show(result), truthy: result.ToBoolean()}, nil
}

// assigns matches code that may make a global variable. Only then are the
// globals looked at: that is the dearest thing one can ask of a fresh runtime.
var assigns = regexp.MustCompile(`(?:^|[^\w$.\])\s])\s*[\w$]+\s*[-+*/%&|^?]*=(?:[^=>]|$)|\+\+|--|window|self|globalThis|\bthis\b`)

// describe words an exception as Chromium does.
func (r *realm) describe(v goja.Value, stack []goja.StackFrame) string {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "Error" {
		return "Uncaught"
	}
	out := readNull.ReplaceAllString(o.String(), "Cannot read properties of $2 (reading '$1')")
	for _, f := range stack {
		if pos := f.Position(); f.SrcName() == "<anonymous>" {
			place := fmt.Sprintf("<anonymous>:%d:%d", pos.Line, callee(r.code, pos.Line, pos.Column))
			if name := f.FuncName(); name != "" && name != "<anonymous>" {
				place = name + " (" + place + ")"
			}
			out += "\n    at " + place
		}
	}
	return out
}

// callee moves a column from the bracket of a call, where goja puts it, to the
// name before it, where Chromium does.
func callee(code string, line, column int) int {
	lines := strings.Split(code, "\n")
	if line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1]) || lines[line-1][column-1] != '(' {
		return column
	}
	name := name.FindString(lines[line-1][:column-1])
	return column - len(name)
}

var name = regexp.MustCompile(`[\w$]*$`)

var readNull = regexp.MustCompile(`Cannot read property '(.*)' of (null|undefined)`)

// show formats a value as javascript_tool does.
func (r *realm) show(v goja.Value) string {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return v.String()
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return primitive(v)
	}
	if h, ok := o.Export().(*host); ok {
		return h.show()
	}
	if o.ClassName() == "Function" {
		return o.String()
	}
	for _, name := range []string{"Map", "Set"} {
		if r.vm.InstanceOf(o, r.vm.Get(name).ToObject(r.vm)) {
			return fmt.Sprintf("[%s elements]", o.Get("size"))
		}
	}
	if o == r.vm.GlobalObject() {
		return "[object Window]"
	}
	stringify, ok := goja.AssertFunction(r.vm.Get("JSON").ToObject(r.vm).Get("stringify"))
	if !ok {
		return o.String() // the code took JSON apart
	}
	out, err := stringify(nil, o, goja.Null(), r.vm.ToValue(2))
	if err != nil {
		return o.String()
	}
	return out.String()
}

func primitive(v goja.Value) string {
	if s, ok := v.(*goja.Symbol); ok {
		return "Symbol(" + s.String() + ")"
	}
	switch x := v.Export().(type) {
	case float64:
		if x == 0 && math.Signbit(x) {
			return "-0"
		}
	case *big.Int:
		return v.String() + "n"
	}
	return v.String()
}
