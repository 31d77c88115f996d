package standin

import (
	_ "embed"
	"errors"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// realm is one evaluation: a fresh runtime with a view of one page.
type realm struct {
	vm     *goja.Runtime
	page   *browser.Page
	code   string
	nodes  map[*html.Node]*goja.Object
	protos map[string]*goja.Object // by class of list

	dead atomic.Bool
	mu   sync.Mutex
	what string // the first thing that was refused
}

// windowNames are the names that Chromium 156 gives to every page, for the
// difference between what is missing here and what is missing there too.
//
//go:embed window.txt
var windowText string

var windowNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, n := range strings.Fields(windowText) {
		names[n] = true
	}
	return names
})

// limits bounds the built-in functions that can eat memory in one step, where
// no watchdog stops them. It costs more than most evaluations and is run for
// code that names one of them.
var (
	limits = goja.MustCompile("limits", `(() => {
	const limit = (o, name, size) => {
		const f = o[name]
		Object.defineProperty(o, name, {writable: true, configurable: true, value: {[name](...a) {
			if (size(this, a) > 1 << 24) throw new RangeError("Invalid string length")
			return f.apply(this, a)
		}}[name]})
	}
	limit(String.prototype, "repeat", (s, a) => String(s).length * a[0])
	for (const name of ["padStart", "padEnd"]) limit(String.prototype, name, (s, a) => a[0])
	for (const name of ["fill", "join", "map", "concat", "slice"]) limit(Array.prototype, name, o => o.length)
	limit(Array, "from", (s, a) => a[0] && a[0].length)
})()`, false)
	greedy = regexp.MustCompile(`repeat|pad|fill|join|map|from|concat|slice|toString|\+ *['"]`)
)

func newRealm(p *browser.Page, code string) *realm {
	r := &realm{vm: goja.New(), page: p, code: code, nodes: map[*html.Node]*goja.Object{}, protos: map[string]*goja.Object{}}
	r.vm.SetMaxCallStackSize(maxStack)
	if greedy.MatchString(code) {
		if _, err := r.vm.RunProgram(limits); err != nil {
			panic("standin: " + err.Error())
		}
	}
	global := r.vm.GlobalObject()
	for name, v := range map[string]goja.Value{"document": r.node(p.Doc), "window": global, "self": global, "location": r.location()} {
		if err := global.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
			panic("standin: " + err.Error())
		}
	}
	outside := &host{r: r, class: "window", get: func(key string) goja.Value {
		r.refuse(key)
		return goja.Undefined()
	}, has: func(key string) bool { return windowNames()[key] }}
	if err := global.SetPrototype(r.vm.NewDynamicObject(outside)); err != nil {
		panic("standin: " + err.Error())
	}
	return r
}

// proto is the prototype of a kind of list: NodeList has some of an array's
// methods, the others only its iterator.
func (r *realm) proto(class string) *goja.Object {
	if p := r.protos[class]; p != nil {
		return p
	}
	array := r.vm.Get("Array").ToObject(r.vm).Get("prototype").ToObject(r.vm)
	p := r.vm.NewObject()
	names := []string{}
	if class == "NodeList" {
		names = []string{"forEach", "entries", "keys", "values"}
	}
	err := p.DefineDataPropertySymbol(goja.SymIterator, array.Get("values"), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	for _, n := range names {
		err = errors.Join(err, p.DefineDataProperty(n, array.Get(n), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
	}
	if err != nil {
		panic("standin: " + err.Error())
	}
	r.protos[class] = p
	return p
}

// refuse ends the evaluation: try and catch of the code do not see it.
func (r *realm) refuse(what string) {
	r.mu.Lock()
	if r.what == "" {
		r.what = what
	}
	r.mu.Unlock()
	r.vm.Interrupt(browser.Beyond(what))
}

func (r *realm) refused() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.what
}

// stop ends the evaluation and cuts it off from the page.
func (r *realm) stop(err error) {
	r.dead.Store(true)
	r.vm.Interrupt(err)
}

// host is an object of the page: a node, a list, the location.
type host struct {
	r     *realm
	class string
	node  *html.Node   // of a node
	nodes []*html.Node // of a list
	get   func(key string) goja.Value
	has   func(key string) bool
	keys  []string
}

// Get answers a property. What the view does not have ends the evaluation; it
// is never silently undefined.
func (h *host) Get(key string) goja.Value {
	if h.r.dead.Load() || h.has != nil && !h.has(key) {
		return nil
	}
	switch key {
	case "toJSON", "then": // asked by JSON.stringify and await; no page object has them
		if h.class != "location" || key == "then" {
			return goja.Undefined()
		}
	}
	return h.get(key)
}

// Set refuses: the view is read-only.
func (h *host) Set(key string, _ goja.Value) bool {
	h.r.refuse("setting " + h.class + "." + key)
	return true
}

// Has reports whether key is a property.
func (h *host) Has(key string) bool {
	if h.has != nil {
		return h.has(key)
	}
	return h.get(key) != nil
}

// Delete refuses: the view is read-only.
func (h *host) Delete(key string) bool {
	h.r.refuse("deleting " + h.class + "." + key)
	return true
}

// Keys lists the indexes of a list, and nothing of a node.
func (h *host) Keys() []string { return h.keys }

func (r *realm) location() goja.Value {
	u := r.page.URL
	origin := u.Scheme + "://" + u.Host
	if u.Scheme != "http" && u.Scheme != "https" {
		origin = "null"
	}
	search, hash := "", ""
	if u.RawQuery != "" {
		search = "?" + u.RawQuery
	}
	if f := u.EscapedFragment(); f != "" {
		hash = "#" + f
	}
	values := map[string]any{"ancestorOrigins": r.vm.NewObject(), "href": u.String(), "origin": origin, "protocol": u.Scheme + ":", "host": u.Host,
		"hostname": u.Hostname(), "port": u.Port(), "pathname": u.EscapedPath(), "search": search, "hash": hash}
	keys := []string{"ancestorOrigins", "href", "origin", "protocol", "host", "hostname", "port", "pathname", "search", "hash"}
	return r.vm.NewDynamicObject(&host{r: r, class: "location", keys: keys, get: func(key string) goja.Value {
		switch v, ok := values[key]; {
		case ok:
			return r.vm.ToValue(v)
		case key == "toString":
			return r.vm.ToValue(func() string { return u.String() })
		case key == "valueOf":
			return nil
		case key == "toJSON":
			return goja.Undefined()
		}
		r.refuse("location." + key)
		return goja.Undefined()
	}})
}
