package suitecheck

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web"
)

// forgery is the argument of forge.js: the requests to send first, and what the page must
// then show to satisfy every assertion that does not ask the server.
type forgery struct {
	Requests []sent        `json:"requests"`
	URLs     []string      `json:"urls"`
	Texts    []wantedText  `json:"texts"`
	Counts   []wantedCount `json:"counts"`
}

type sent struct {
	URL    string `json:"url"`
	Method string `json:"method"`
	Type   string `json:"type,omitempty"`
	Body   string `json:"body,omitempty"`
}

type wantedText struct {
	Selector string `json:"selector"`
	Text     string `json:"text"`
}

type wantedCount struct {
	Selector string `json:"selector"`
	Count    int    `json:"count"`
}

//go:embed forge.js
var forgeJS string

// placed matches what forge.js returns: how many of its wants the page then shows.
var placed = regexp.MustCompile(`forged: (\d+) of (\d+)([^\n"]*)`)

// unforged returns why the script of an episode that failed did not forge all that it should;
// "" if it did. A page that cannot be forged by this script may be forged by another. An
// episode that was not judged may have no steps.
func unforged(e played) string {
	if e.fault != "" || e.holds {
		return ""
	}
	answer := e.steps[len(e.steps)-1].answer
	m := placed.FindStringSubmatch(answer)
	switch {
	case m == nil:
		return fmt.Sprintf("%s: the script failed: %s", e.name, display.VisibleTo(answer, 200))
	case m[1] != m[2]:
		return fmt.Sprintf("%s: the script placed only %s of %s texts, counts and URLs, and not %s", e.name, m[1], m[2], display.VisibleTo(strings.TrimSpace(m[3]), 200))
	}
	return ""
}

// script returns a function that makes the call of forge.js.
func (p *proof) script(f forgery) func(tab string) adapter.Call {
	arg, _ := json.Marshal(f) // it holds only texts and numbers
	return func(tab string) adapter.Call {
		_, code, _ := strings.Cut(forgeJS, "\n") // the first line is a comment
		return p.server().Script(tab, strings.TrimSpace(code)+"("+string(arg)+")")
	}
}

// forge returns a forgery of every text, count and URL that the contract wants.
func (p *proof) forge() forgery {
	f := forgery{Requests: []sent{}, URLs: []string{}, Texts: []wantedText{}, Counts: []wantedCount{}}
	var walk func(n *jsonfile.Node)
	walk = func(n *jsonfile.Node) {
		selector := "body"
		if n.Get("selector") != nil {
			selector = n.Get("selector").Text
		}
		switch n.Get("kind").Text {
		case "url":
			f.URLs = append(f.URLs, jsregexp.Example(n.Get("pattern").Text))
		case "dom_text":
			f.Texts = append(f.Texts, wantedText{selector, n.Get("contains").Text})
		case "dom_count":
			f.Counts = append(f.Counts, wantedCount{selector, int(n.Get("value").Float())})
		}
		if children := n.Get("children"); children != nil { // not below a "not"
			for _, child := range children.Items {
				walk(child)
			}
		}
	}
	walk(jsonfile.Loose("contract", p.task.Success.Raw()).Value())
	return f
}

// requests returns the requests that a script must send to repeat an episode. It leaves out
// those that follow a redirect, because the browser sends them by itself.
func requests(log []web.Request) []sent {
	out := []sent{}
	redirected := false
	for _, r := range log {
		if !redirected {
			out = append(out, sent{r.URL, r.Method, r.Type, r.Body})
		}
		redirected = r.Status >= 300 && r.Status < 400 && r.Status != 304
	}
	return out
}

// apiShortcut marks a task whose goal a script reaches if it sends the requests of the oracle.
const apiShortcut = "api-shortcut"

// forged returns the forged page, and the one with the oracle's requests if there is an
// oracle.
func (p *proof) forged(ctx context.Context) []play {
	f := p.forge()
	out := []play{{name: "forging the page", adapter: makes(p.script(f))}}
	if len(p.oracle) > 0 {
		f.Requests = requests(p.play(ctx, p.oracles(1)...)[0].requests)
		out = append(out, play{name: "sending the oracle's requests by a script, and forging the page", adapter: makes(p.script(f))})
	}
	return out
}

func checkForged(ctx context.Context, p *proof) finding {
	if why := p.noScripts(); why != "" {
		return finding{skipped: why}
	}
	episodes := p.play(ctx, p.forged(ctx)...)
	f := mustFail(episodes[0])
	for _, e := range episodes[1:] {
		if e.fault != "" {
			f.fault(e.place, notJudged(e))
		}
		if e.holds && f.problems == nil {
			f.detail, f.shortcut = apiShortcut, true
		}
	}
	for _, e := range episodes {
		if why := unforged(e); why != "" {
			f.fault("", why)
		}
	}
	return f
}

// noScripts returns the reason why no script can run in a page; "" if one can.
func (p *proof) noScripts() string {
	switch {
	case p.stage.Standin():
		return "the stand-in runs no page scripts"
	case p.server().Script == nil:
		return "the server has no known tool that runs scripts"
	}
	return ""
}
