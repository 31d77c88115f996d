package standin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

const (
	maxCode   = 16 << 10  // bounds how deep the parser recurses, too
	maxStack  = 1000      // JavaScript calls
	maxMemory = 128 << 20 // growth of the heap during one evaluation
)

func (s *Server) javascript(ctx context.Context, args arguments) (string, error) {
	p, err := s.page(args, "JavaScript execution error")
	code, limit := args.str("code"), arg(args, "timeout", 30000.0)
	switch {
	case err != nil:
		return "", err
	case code == "":
		return "", errors.New("Error: code is required (JS code to execute)")
	}
	v, err := s.evaluate(ctx, p, code, time.Duration(limit*float64(time.Millisecond)))
	if errors.Is(err, errTimeout) {
		err = fmt.Errorf("JavaScript execution error: JS execution timed out after %vms", limit)
	}
	return v.text, err
}

// value is the outcome of an expression: what javascript_tool shows of it.
type value struct {
	text   string
	truthy bool
}

// exception is an error that the code made.
type exception string

func (e exception) Error() string { return "JavaScript error: " + string(e) }

var (
	errTimeout = errors.New("time is up")
	statements = regexp.MustCompile(`[;\n]|\breturn\b`)
	await      = regexp.MustCompile(`\bawait\b`)
	huge       = regexp.MustCompile(`\d{8}|\d[eE]\d`) // built-in functions cannot be interrupted
	place      = regexp.MustCompile(`<anonymous>: Line \d+:\d+ | \(and \d+ more errors\)| at <anonymous>:\d+:\d+`)
	readNull   = regexp.MustCompile(`Cannot read property '(.*)' of (null|undefined)`)
)

// evaluate runs code over a read-only view of p. Its error is an [exception], a
// refusal, the context's or errTimeout. OpenChrome answers {} for code with a
// semicolon, a line break or the word return, whatever it does; so does this,
// unless the code does what a view cannot.
func (s *Server) evaluate(ctx context.Context, p *browser.Page, code string, limit time.Duration) (value, error) {
	lost := statements.MatchString(code)
	async := lost || await.MatchString(code)
	switch {
	case len(code) > maxCode || huge.MatchString(code):
		return value{}, s.browser.Refuse("code that long, or with numbers that large")
	case lost:
		code = "(async () => {" + code + "\n})()"
	case async:
		code = "(async () => (" + code + "\n))()"
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	v, err := run(ctx, p, code, async)
	if what, ok := errors.AsType[browser.Beyond](err); ok {
		return value{}, s.browser.Refuse(string(what))
	}
	if _, thrown := errors.AsType[exception](err); lost && (thrown || err == nil) {
		return value{text: "{}", truthy: true}, nil // OpenChrome loses the exception, too
	}
	return v, err
}

// run compiles and runs code. async says that the value is wanted of the
// promise that the code makes.
func run(ctx context.Context, p *browser.Page, code string, async bool) (v value, err error) {
	defer func() {
		if recover() != nil { // goja panics on some regular expressions
			err = browser.Beyond("this code")
		}
	}()
	tree, err := goja.Parse("<anonymous>", code)
	if err != nil {
		return value{}, exception("SyntaxError: " + strings.TrimPrefix(place.ReplaceAllString(err.Error(), ""), "SyntaxError: "))
	}
	if _, ok := tree.Body[0].(*ast.ExpressionStatement); !ok || len(tree.Body) > 1 {
		return value{}, browser.Beyond("code that is not one expression")
	}
	program, err := goja.CompileAST(tree, false)
	if err != nil {
		return value{}, exception(err.Error())
	}
	r := newRealm(p)
	defer context.AfterFunc(ctx, func() { r.vm.Interrupt(context.Cause(ctx)) })()
	go watchMemory(ctx, r.vm)
	result, err := r.vm.RunProgram(program)
	if err == nil && async {
		promise, _ := result.Export().(*goja.Promise)
		result = promise.Result()
		switch promise.State() {
		case goja.PromiseStatePending:
			return value{}, browser.Beyond("a promise that waits for something")
		case goja.PromiseStateRejected:
			err = exception(words(result))
		}
	}
	if err == nil {
		v = value{r.show(result), result.ToBoolean()}
	}
	var thrown *goja.Exception
	var overflow *goja.StackOverflowError
	switch {
	case r.beyond != "": // whatever the code caught
		return value{}, r.beyond
	case errors.As(err, &overflow):
		return value{}, exception("RangeError: Maximum call stack size exceeded")
	case errors.As(err, &thrown):
		return value{}, exception(words(thrown.Value()))
	}
	return v, err
}

// watchMemory refuses code that fills the memory, until ctx ends.
func watchMemory(ctx context.Context, vm *goja.Runtime) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for begin := heap(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if heap() > begin+maxMemory {
				vm.Interrupt(browser.Beyond("code that needs that much memory"))
			}
		}
	}
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// words is what an exception says.
func words(v goja.Value) string {
	if o, ok := v.(*goja.Object); ok && o.ClassName() == "Error" {
		return readNull.ReplaceAllString(o.String(), "Cannot read properties of $2 (reading '$1')")
	}
	return "Uncaught"
}

// show formats a value as javascript_tool does.
func (r *realm) show(v goja.Value) string {
	o, ok := v.(*goja.Object)
	if !ok {
		return v.String()
	}
	if h, ok := o.Export().(*host); ok {
		return h.show()
	}
	if r.lists != nil && o.Prototype() == r.lists {
		return fmt.Sprintf("[%s elements]", o.Get("length"))
	}
	raw, err := o.MarshalJSON()
	if err != nil || o.ClassName() == "Function" {
		return o.String()
	}
	return pretty(json.RawMessage(raw))
}
