// Package standin is an MCP server with OpenChrome's main tools over the small HTTP browser
// of package browser, so that the harness can run and be tested without Chrome. Names,
// arguments, result texts and errors follow OpenChrome 1.7.15. It is not OpenChrome and
// calls itself openchrome-bench-standin.
//
// It never guesses. It refuses every call that needs a real browser and every option that
// the built-in tasks do not need, and says why. If it cannot show a page exactly, it shows
// as much as it can. From then on every result of the session has the reason in its _meta,
// under [InconclusiveKey].
//
// Known differences:
//   - coordinates are 0, and nothing scrolls;
//   - there are no hints, no _timing and no explicit isError:false;
//   - summaries of a page contain only its headings;
//   - a click reports no changes within a page and no name of the focused element;
//   - read_page does not detect pagination;
//   - fill_form fills fields in the order of their names;
//   - images are not fetched;
//   - of JavaScript there are only location.href and the innerText of one element;
//   - nothing on a page changes by itself, so a tool that waits for a missing
//     change reports its timeout at once.
package standin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

// InconclusiveKey is a key in a result's _meta. Its string value says why the session no
// longer behaves like a real browser, for instance "page needs scripts:
// https://example.com/". Without such a reason the key is absent.
const InconclusiveKey = "standin/inconclusive"

// BrokenKey is true in a result's _meta if that is a fault of the stand-in. Otherwise the page or
// the call needs a real browser.
const BrokenKey = "standin/broken"

// AstrayKey is true in a result's _meta if the reason is an address that was opened and shows no page.
const AstrayKey = "standin/astray"

// Options configures a [Server].
type Options struct {
	// Transport carries every request of the browser.
	Transport http.RoundTripper
	// Latency is added to each tool call. A call that is cancelled during it ends
	// at once.
	Latency time.Duration
}

// Server is one stand-in: one browser with an empty profile. It is safe for
// concurrent use and answers one call after the other.
type Server struct {
	latency time.Duration
	mcp     *server.MCPServer
	turn    chan struct{} // holds a value while a call is running
	browser *browser.Browser
	tabID   string                // empty: no tab yet
	refs    map[string]*html.Node // elements by ref_N and by their number in read_page
	numbers map[*html.Node]string
	lastRef int
	marked  *html.Node // the field whose text a triple click marked; nil: none
}

// New returns a stand-in with a fresh browser. It holds no resources besides its Transport.
func New(o Options) *Server {
	s := &Server{latency: o.Latency, turn: make(chan struct{}, 1), browser: browser.New(o.Transport), refs: map[string]*html.Node{}, numbers: map[*html.Node]string{}}
	hooks := &server.Hooks{}
	hooks.AddBeforeCallTool(nameUnknown)
	s.mcp = server.NewMCPServer("openchrome-bench-standin", "1", server.WithToolCapabilities(false), server.WithHooks(hooks),
		server.WithToolFilter(func(context.Context, []mcp.Tool) []mcp.Tool { return definitions() }))
	// These schemas allow anything, because mcp-go v1.2.1 checks each schema again for each
	// server, which is slow. The filter puts the real schemas into the list. It can go when
	// servers can share checked tools.
	for name := range tools {
		s.mcp.AddTool(mcp.NewToolWithRawSchema(name, "", []byte(`{"type":"object"}`)), s.call)
	}
	return s
}

//go:embed tools.json
var toolsJSON []byte

var definitions = sync.OnceValue(func() (list []mcp.Tool) {
	if err := json.Unmarshal(toolsJSON, &list); err != nil {
		panic("standin: tools.json: " + err.Error())
	}
	return list
})

// MCP returns the server, to be served over any transport.
func (s *Server) MCP() *server.MCPServer { return s.mcp }

// handler answers a call of one tool. The caller holds the lock of s. The string is the text of a
// result; the error is the text of a failed result, or the context's error.
type handler func(s *Server, ctx context.Context, args arguments) (string, error)

var tools map[string]handler

func init() {
	tools = map[string]handler{
		"navigate": (*Server).navigate, "tabs_context": (*Server).tabsContext, "read_page": (*Server).readPage,
		"find": (*Server).find, "interact": (*Server).interact, "form_input": (*Server).formInput,
		"fill_form": (*Server).fillForm, "javascript_tool": (*Server).javascript,
		"wait_for": (*Server).waitFor, "computer": (*Server).computer,
	}
}

// unknown is the name of a tool that does not exist. The handler gets it instead of the
// call's arguments and answers with the code -32603, like OpenChrome. mcp-go v1.2.1 itself
// would answer with -32602.
type unknown string

// beyond are the tools of OpenChrome 1.7.15 that the stand-in does not have. tools/list
// does not contain them, and a call is refused.
var beyond = " cookies network page_reload query_dom page_content storage user_agent geolocation emulate_device page_pdf console_capture" +
	" performance_metrics request_intercept file_upload http_auth drag_drop tabs_create tabs_close worker workflow_init workflow_status" +
	" workflow_collect workflow_collect_partial workflow_cleanup worker_update worker_complete execute_plan batch_execute lightweight_scroll" +
	" batch_paginate inspect memory oc_stop oc_profile_status list_profiles expand_tools "

func nameUnknown(_ context.Context, _ any, request *mcp.CallToolRequest) {
	if name := request.Params.Name; tools[name] == nil {
		request.Params.Name, request.Params.Arguments = "tabs_context", unknown(name)
	}
}

// call runs one tool: it adds the latency, waits for its turn, calls the handler and sets
// the _meta.
func (s *Server) call(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if s.latency > 0 {
		select {
		case <-time.After(s.latency):
		case <-ctx.Done():
		}
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	args, _ := request.Params.Arguments.(map[string]any)
	answer := tools[request.Params.Name]
	if name, ok := request.Params.Arguments.(unknown); ok {
		if !browser.Listed(beyond, string(name)) {
			return nil, answers("Unknown tool: %s", name)
		}
		answer = func(*Server, context.Context, arguments) (string, error) {
			return "", s.browser.Refuse("the tool " + string(name))
		}
	}
	text, err := s.run(ctx, answer, args)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	result := mcp.NewToolResultText(text)
	if err != nil {
		result = mcp.NewToolResultError(err.Error())
	}
	if s.browser.Doubt != "" {
		result.Meta = &mcp.Meta{AdditionalFields: map[string]any{InconclusiveKey: s.browser.Doubt}}
		if s.browser.Astray {
			result.Meta.AdditionalFields[AstrayKey] = true
		}
		if s.browser.Broken {
			result.Meta.AdditionalFields[BrokenKey] = true
		}
	}
	return result, nil
}

// run calls h. A panic becomes an error, and from then on the session is in doubt.
func (s *Server) run(ctx context.Context, h handler, args arguments) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			fault := fmt.Sprint("a fault of the stand-in: ", p)
			if s.browser.Doubt == "" {
				s.browser.Doubt, s.browser.Broken = fault, true
			}
			text, err = "", errors.New(fault)
		}
	}()
	return h(s, ctx, args)
}

// answers returns an error with the words that OpenChrome uses.
func answers(format string, args ...any) error { return fmt.Errorf(format, args...) }

// page returns the page of the call's tabId. The error is the text of the result, and
// begins with the tool's own prefix, such as "Find error". required are arguments that the
// call must have.
func (s *Server) page(args arguments, prefix string, required ...string) (*browser.Page, error) {
	id := args.str("tabId")
	for _, key := range append([]string{"tabId"}, required...) {
		if args.str(key) == "" {
			return nil, answers("Error: %s is required", key)
		}
	}
	if p := s.browser.Page(); id == s.tabID && p.Failed() && prefix != javaScript {
		return nil, s.browser.Refuse("an error page")
	} else if id == s.tabID {
		return p, nil
	}
	known := "No tabs available in this session. Use navigate to open a new page."
	if s.tabID != "" {
		known = fmt.Sprintf("Available tabIds: [%q]. Use tabs_context to see their URLs and titles.", s.tabID)
	}
	return nil, fmt.Errorf("%s: Target %s not found in session default. The tab may have been closed or Chrome may have been restarted. %s", prefix, id, known)
}

// newRef gives n a ref, made from prefix and a number. Refs become invalid when the tab
// shows another page. Numbers are never used again.
func (s *Server) newRef(n *html.Node, prefix string) string {
	s.lastRef++
	id := prefix + strconv.Itoa(s.lastRef)
	s.refs[id] = n
	return id
}

// number returns the number of n in read_page.
func (s *Server) number(n *html.Node) string {
	if s.numbers[n] == "" {
		s.numbers[n] = s.newRef(n, "")
	}
	return s.numbers[n]
}

// forget drops the refs, because their page is gone.
func (s *Server) forget() {
	clear(s.refs)
	clear(s.numbers)
	s.marked = nil
}
