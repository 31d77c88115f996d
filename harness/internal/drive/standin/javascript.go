package standin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

const (
	maxCode   = 16 << 10  // also bounds the recursion of the parser
	maxStack  = 1000      // nested JavaScript calls
	maxMemory = 256 << 20 // growth of the heap during one evaluation
)

const scriptError = "JavaScript execution error"

func (s *Server) javascript(ctx context.Context, args arguments) (string, error) {
	p, err := s.page(args, scriptError)
	code, limit := cmp.Or(args.str("code"), args.str("text")), cmp.Or(arg(args, "timeout", 0.0), 30000)
	switch {
	case err != nil:
		return "", err
	case code == "":
		return "", answers("Error: code is required (JS code to execute)")
	}
	return s.evaluate(ctx, p, code, limit)
}

var (
	errMemory  = errors.New("memory is full")
	statements = regexp.MustCompile(`[;\n]|\b(return|await)\b`)                   // OpenChrome does not run statements like an expression
	huge       = regexp.MustCompile(`\d{8}|\d[eE]\d|\b(repeat|pad(Start|End))\b`) // may take long in built-in functions, which cannot be interrupted
)

// evaluate runs an expression over a read-only view of p and shows its value as
// javascript_tool does. limit is in milliseconds. Its error is an exception in
// the code, a refusal, a timeout or the context's error.
func (s *Server) evaluate(ctx context.Context, p *browser.Page, code string, limit float64) (text string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(limit*float64(time.Millisecond)),
		fmt.Errorf(scriptError+": JS execution timed out after %vms", limit))
	defer cancel()
	if len(code) > maxCode || huge.MatchString(code) || statements.MatchString(code) {
		return "", s.browser.Refuse("code that is too long, has too large numbers, or has statements")
	}
	tree, err := goja.Parse("", code)
	if err != nil {
		return "", exception(err.Error())
	}
	if slices.ContainsFunc(tree.Body, func(st ast.Statement) bool { _, ok := st.(*ast.ExpressionStatement); return !ok }) || len(tree.Body) != 1 {
		return "", s.browser.Refuse("code that is not one expression")
	}
	program, err := goja.CompileAST(tree, false)
	if err != nil {
		return "", exception(err.Error())
	}
	v := newView(p)
	defer context.AfterFunc(ctx, func() { v.vm.Interrupt(context.Cause(ctx)) })()
	go watchMemory(ctx, v.vm, heap())
	result, err := v.vm.RunProgram(program)
	if err == nil {
		text = v.show(result)
	}
	thrown, threw := errors.AsType[*goja.Exception](err)
	_, interrupted := errors.AsType[*goja.InterruptedError](err)
	_, overflow := errors.AsType[*goja.StackOverflowError](err)
	switch {
	case v.beyond != "": // even if the code caught the error
		err = s.browser.Refuse(v.beyond)
	case errors.Is(err, errMemory):
		err = s.browser.Refuse("code that needs too much memory")
	case interrupted:
		err = context.Cause(ctx)
	case overflow:
		err = exception("RangeError: Maximum call stack size exceeded")
	case threw && isError(thrown.Value()):
		err = exception(thrown.Value().String())
	case err != nil:
		err = exception("Uncaught")
	}
	return text, err
}

func exception(what string) error { return errors.New("JavaScript error: " + what) }

// watchMemory interrupts code that fills the memory, until ctx ends. before is the heap
// when the code began. All sessions of this process share the heap, so other sessions may
// use up the memory. The code is then refused, which gives no wrong result.
func watchMemory(ctx context.Context, vm *goja.Runtime, before int64) {
	tick := time.Tick(5 * time.Millisecond)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			if heap() > before+maxMemory {
				vm.Interrupt(errMemory)
			}
		}
	}
}

// heap returns the size of all objects, including garbage. If we waited for its collection,
// the code could double its memory a few more times.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// show formats a value as javascript_tool does.
func (v *view) show(value goja.Value) string {
	o, ok := value.(*goja.Object)
	_, symbol := value.(*goja.Symbol)
	if _, big := value.Export().(*big.Int); big || symbol || ok && browser.Listed(" Map Set ", fmt.Sprint(o.GetSymbol(goja.SymToStringTag))) {
		v.refuse("showing this value")
	}
	if !ok {
		return value.String()
	}
	if h, ok := o.Export().(*host); ok {
		return h.show()
	}
	if o.Prototype() == v.lists {
		return fmt.Sprintf("[%s elements]", o.Get("length"))
	}
	raw, err := o.MarshalJSON()
	if err != nil || o.ClassName() == "Function" {
		return o.String()
	}
	return pretty(json.RawMessage(raw))
}

func isError(value goja.Value) bool {
	o, ok := value.(*goja.Object)
	return ok && o.ClassName() == "Error"
}
