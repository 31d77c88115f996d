package standin

import (
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

const (
	maxCode  = 16 << 10 // also bounds the recursion of the compiler
	maxWork  = 10 << 20
	maxCalls = 200 // calls within calls, or arrays within arrays

	noScript = "a script that is more than a short expression"
	tooLong  = "an expression that takes so long"
)

// expr is a compiled expression.
type expr func(*scope) any

// scope is the value of an arrow function's parameter, and what is around it.
type scope struct {
	name  string
	value any
	outer *scope
}

// compiler compiles JavaScript's expressions of properties, methods, operators and arrays. An
// arrow function may only be an argument of a method or an item of an array. It can call itself
// through a method, as in [f => [f].map(f)]. All other JavaScript is refused.
type compiler struct {
	*view
	tokens []string // "" is the last
}

var token = regexp.MustCompile(`^\s*((?:0|[1-9]\d{0,14})(?:\.\d+)?|[A-Za-z_$][\w$]*|'(?:[^'\\]|\\['"\\])*'|"(?:[^"\\]|\\['"\\])*"|--|\+\+|\*\*|=>|[=!]==?|\.\.\.|&&|\|\||[-+*/!?:.,()\[\]]|$)`)

func (v *view) compile(code string) expr {
	c := &compiler{view: v}
	for c.tokens == nil || c.tokens[len(c.tokens)-1] != "" {
		m := token.FindStringSubmatch(code)
		if m == nil {
			refuse(noScript)
		}
		c.tokens, code = append(c.tokens, m[1]), code[len(m[0]):]
	}
	e := c.expression()
	c.need("")
	return e
}

func (c *compiler) next() (t string) {
	t, c.tokens = c.tokens[0], c.tokens[1:]
	return t
}

func (c *compiler) need(t string) {
	if !c.have(t) {
		refuse(noScript)
	}
}

// have skips the next token if it is t.
func (c *compiler) have(t string) bool { return c.tokens[0] == t && c.next() == t }

func (c *compiler) expression() expr {
	e := c.binary(0)
	if !c.have("?") {
		return e
	}
	yes := c.expression()
	c.need(":")
	no := c.expression()
	return func(s *scope) any {
		if truthy(e(s)) {
			return yes(s)
		}
		return no(s)
	}
}

// operators are the binary ones, by precedence.
var operators = []string{" || ", " && ", " === !== == != ", " + - ", " * / "}

func (c *compiler) binary(level int) expr {
	if level == len(operators) {
		return c.unary()
	}
	left := c.binary(level + 1)
	for browser.Listed(operators[level], c.tokens[0]) {
		op, a, b := c.next(), left, c.binary(level+1)
		left = func(s *scope) any {
			value := a(s)
			if level < 2 && truthy(value) == (op == "||") {
				return value
			}
			return c.operate(op, value, b(s))
		}
	}
	return left
}

func (c *compiler) unary() expr {
	if c.have("!") {
		e := c.unary()
		return func(s *scope) any { return !truthy(e(s)) }
	}
	e := c.primary()
	for {
		of := e
		switch {
		case c.have("."):
			name := c.name()
			if !c.have("(") {
				e = func(s *scope) any { return c.property(of(s), name) }
				continue
			}
			args := c.list(")")
			e = func(s *scope) any { return c.method(of(s), name, args(s)) }
		case c.have("["):
			index := c.expression()
			c.need("]")
			e = func(s *scope) any { return c.item(of(s), index(s)) }
		default:
			return e
		}
	}
}

var word = regexp.MustCompile(`^[A-Za-z_$]`)

func (c *compiler) name() string {
	if !word.MatchString(c.tokens[0]) {
		refuse(noScript)
	}
	return c.next()
}

func (c *compiler) primary() expr {
	switch t := c.tokens[0]; {
	case c.have("("):
		e := c.expression()
		c.need(")")
		return e
	case c.have("["):
		items := c.list("]")
		return func(s *scope) any { return &array{items: items(s)} }
	case strings.HasPrefix(t, "'"), strings.HasPrefix(t, `"`):
		value := escape.ReplaceAllString(c.next()[1:len(t)-1], "$1")
		return func(*scope) any { return value }
	case t != "" && t[0] >= '0' && t[0] <= '9':
		value := number(c.next())
		if c.tokens[0] == "." && !strings.Contains(t, ".") {
			refuse(noScript) // JavaScript reads 1. as a number
		}
		return func(*scope) any { return value }
	}
	name := c.name()
	return func(s *scope) any {
		for ; s != nil; s = s.outer {
			if s.name == name {
				return s.value
			}
		}
		return c.global(name)
	}
}

var escape = regexp.MustCompile(`\\(.)`)

// list compiles what stands between commas, up to end.
func (c *compiler) list(end string) func(*scope) []any {
	var items []func(*scope) []any
	for !c.have(end) {
		spread := c.have("...")
		e := c.arrow()
		if e == nil {
			e = c.expression()
		}
		items = append(items, func(s *scope) []any {
			if spread {
				return c.elements(e(s))
			}
			c.spend(1)
			return []any{e(s)}
		})
		if c.tokens[0] != end {
			c.need(",")
		}
	}
	return func(s *scope) (all []any) {
		for _, item := range items {
			all = append(all, item(s)...)
		}
		return all
	}
}

// arrow compiles an arrow function, or returns nil if none comes next.
func (c *compiler) arrow() expr {
	m := arrow.FindStringSubmatch(strings.Join(c.tokens[:min(9, len(c.tokens))], " "))
	if m == nil {
		return nil
	}
	for c.next() != "=>" {
	}
	before := len(c.tokens)
	names, body := strings.Split(m[1]+m[2], " , "), c.expression()
	size := before - len(c.tokens)
	return func(outer *scope) any {
		return function(func(args ...any) any {
			c.spend(1)
			defer c.deepen(size)()
			inner := outer
			for i, name := range names {
				inner = &scope{name, args[i], inner}
			}
			return body(inner)
		})
	}
}

// arrow matches the begin of a function with up to three parameters, which all methods pass.
var arrow = regexp.MustCompile(`^(?:\( ([A-Za-z_$][\w$]*(?: , [A-Za-z_$][\w$]*){0,2}) \)|([A-Za-z_$][\w$]*)) => `)
