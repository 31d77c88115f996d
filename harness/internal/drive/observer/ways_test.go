package observer

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// ways are how a server that is another DevTools client may try to forge facts.
var ways = []struct {
	name  string
	begin func(t *testing.T, r *rival)
}{
	{"first in our world", func(t *testing.T, r *rival) {
		r.inOurs(func(c told) {
			for _, p := range payloads {
				r.evaluate(c.id, p)
			}
		})
	}},
	{"one getter, as early as it can", func(t *testing.T, r *rival) {
		r.inOurs(func(c told) { r.evaluate(c.id, payloads[3]) })
	}},
	{"later, again and again", func(t *testing.T, r *rival) {
		var ours atomic.Int64
		r.inOurs(func(c told) { ours.Store(int64(c.id)) })
		r.meanwhile(t, func(i int) { r.evaluate(float64(ours.Load()), payloads[i%len(payloads)]) })
	}},
	{"a world of our name in another frame", func(t *testing.T, r *rival) {
		r.contexts(func(c told) {
			switch {
			case c.kind == "default" && c.frame != r.tab: // the iframe
				r.inner = c.frame
				for i := range 20 {
					r.tell("Page.createIsolatedWorld", `{"frameId":%q,"worldName":"openchrome-bench %d"}`, c.frame, i)
				}
			case c.isOurs():
				r.tell("Page.createIsolatedWorld", `{"frameId":%q,"worldName":%q}`, r.inner, c.name)
			}
		})
	}},
	{"a script in new documents", func(t *testing.T, r *rival) {
		for i := range 50 {
			r.tell("Page.addScriptToEvaluateOnNewDocument", `{"source":%q,"worldName":"openchrome-bench %d","runImmediately":true}`, payloads[3].scripts()[0], i)
		}
		r.inOurs(func(c told) {
			r.tell("Page.addScriptToEvaluateOnNewDocument", `{"source":%q,"worldName":%q,"runImmediately":true}`, payloads[3].scripts()[0], c.name)
		})
	}},
	{"bindings", func(t *testing.T, r *rival) {
		for _, name := range []string{"JSON", "Reflect", "Object", "HTMLElement", "Document", "location", "document", "get innerText", "apply"} {
			r.tell("Runtime.addBinding", `{"name":%q}`, name)
		}
	}},
	{"breakpoints with conditions", func(t *testing.T, r *rival) {
		r.debug(t, func(script string) {
			for line := range 20 {
				r.tell("Debugger.setBreakpoint", `{"location":{"scriptId":%q,"lineNumber":%d},"condition":%q}`, script, line, forgeLocals)
			}
		})
		for line := range 20 {
			r.tell("Debugger.setBreakpointByUrl", `{"urlRegex":".*","lineNumber":%d,"condition":%q}`, line, forgeLocals)
		}
	}},
	{"breakpoints on functions", func(t *testing.T, r *rival) {
		r.inOurs(func(c told) {
			r.got = func(object string) {
				r.tell("Debugger.setBreakpointOnFunctionCall", `{"objectId":%q,"condition":%q}`, object, forgeLocals)
			}
			for _, f := range []string{"Reflect.apply", "JSON.stringify", "document.querySelector", "Object.defineProperty"} {
				r.tell("Runtime.evaluate", `{"contextId":%v,"expression":%q}`, c.id, f)
			}
		})
		r.debug(t, nil)
	}},
	{"pausing", func(t *testing.T, r *rival) {
		r.debug(t, nil)
		r.tell("Debugger.setInstrumentationBreakpoint", `{"instrumentation":"beforeScriptExecution"}`)
		r.tell("Debugger.setPauseOnExceptions", `{"state":"all"}`)
		r.meanwhile(t, func(int) { r.tell("Debugger.pause", `{}`) })
	}},
	{"no scripts", func(t *testing.T, r *rival) {
		r.tell("Emulation.setScriptExecutionDisabled", `{"value":true}`)
	}},
	{"ending our scripts", func(t *testing.T, r *rival) {
		r.meanwhile(t, func(int) { r.tell("Runtime.terminateExecution", `{}`) })
	}},
}

// forgeLocals is a condition of a breakpoint: it changes the variables of our scripts.
var forgeLocals = "(() => { try { facts = `" + forgery + "` } catch {} try { all = '{\"value\":9}' } catch {} })(), false"

// Another DevTools client, which runs at the same time and knows what we do, forges no fact.
func TestRival(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser for each way")
	}
	forgeries := 0
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			o, tab, r := observeWithRival(t)
			web := serve(t, map[string]string{"/": statePage, "/inner": innerPage})
			open(t, o, tab, web.URL+"/", stateNeeds)
			r.tell("Page.enable", `{}`)
			way.begin(t, r)
			r.Call(t, "Runtime.enable", `{}`)
			read := 0
			for range 5 {
				navigate(t, o, tab, web.URL+"/")
				for range 4 {
					wrong, ok := forged(t, o, tab, web.URL+"/")
					if wrong != "" {
						t.Error(wrong)
						forgeries++
					} else if ok {
						read++
					}
				}
			}
			t.Logf("%d of 20 readings; the browser did what the rival said %d times, in our world %d times", read, r.worked.Load(), r.hits.Load())
			if r.worked.Load() == 0 {
				t.Error("the rival did nothing")
			}
		})
	}
	if forgeries > 0 {
		t.Errorf("%d forged readings", forgeries)
	}
}

// inOurs calls f with each world of ours that the rival hears of.
func (r *rival) inOurs(f func(told)) {
	r.contexts(func(c told) {
		if c.isOurs() {
			r.hits.Add(1)
			f(c)
		}
	})
}

// contexts calls f with each context that the rival hears of.
func (r *rival) contexts(f func(told)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on = func(method string, params map[string]any) {
		if method == "Runtime.executionContextCreated" {
			f(contextOf(params))
		}
	}
}

// debug turns the debugger on. It calls parsed with each script that looks like ours, and
// in each pause it changes what it can, and goes on.
func (r *rival) debug(t *testing.T, parsed func(script string)) {
	r.mu.Lock()
	before := r.on
	r.on = func(method string, params map[string]any) {
		before(method, params)
		switch method {
		case "Debugger.scriptParsed":
			if id, _ := params["scriptId"].(string); params["url"] == "" && parsed != nil {
				r.hits.Add(1)
				parsed(id)
			}
		case "Debugger.paused":
			frames, _ := params["callFrames"].([]any)
			for _, f := range frames {
				if f, ok := f.(map[string]any); ok {
					r.tell("Debugger.evaluateOnCallFrame", `{"callFrameId":%q,"expression":%q}`, f["callFrameId"], forgeLocals)
					for _, p := range payloads {
						r.tell("Debugger.evaluateOnCallFrame", `{"callFrameId":%q,"expression":%q}`, f["callFrameId"], p.scripts()[0])
					}
				}
			}
			r.tell("Debugger.resume", `{}`)
		}
	}
	r.mu.Unlock()
	r.Call(t, "Debugger.enable", `{}`)
}

// evaluate runs a payload in a context.
func (r *rival) evaluate(context float64, p payload) {
	for _, script := range p.scripts() {
		r.tell("Runtime.evaluate", `{"contextId":%v,"replMode":true,"silent":true,"expression":%q}`, context, script)
	}
}

// meanwhile calls f again and again until the test ends, each time after the answer to a
// command.
func (r *rival) meanwhile(t *testing.T, f func(i int)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; t.Context().Err() == nil; i++ {
			f(i)
			r.Call(t, "Runtime.evaluate", fmt.Sprintf(`{"expression":"%d"}`, i))
		}
	}()
	t.Cleanup(func() { <-done })
}
