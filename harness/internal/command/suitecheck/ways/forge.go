package ways

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// forgery is the argument of forge.js: what the page must show to satisfy every assertion that
// does not ask the server.
type forgery struct {
	URLs   []string      `json:"urls"`
	Texts  []wantedText  `json:"texts"`
	Counts []wantedCount `json:"counts"`
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

// Forges runs a script that writes every text, count and URL that a contract wants into the page.
// script is the call of a tool that runs scripts.
func Forges(contract json.RawMessage, script server.Call) adapter.Factory {
	_, code, _ := strings.Cut(forgeJS, "\n") // the first line is a comment
	arg, _ := json.Marshal(forge(contract))  // it holds only texts and numbers
	return Makes(func(tab string) adapter.Call {
		return script.With(server.Values{"tab": tab, "text": strings.TrimSpace(code) + "(" + string(arg) + ")"}, nil)
	})
}

// Unforged returns why the script did not forge all that it should, by its answer; "" if it did.
// A page that cannot be forged by this script may be forged by another.
func Unforged(answer string) string {
	m := placed.FindStringSubmatch(answer)
	switch {
	case m == nil:
		return "the script failed: " + display.VisibleTo(answer, 200)
	case m[1] != m[2]:
		return fmt.Sprintf("the script placed only %s of %s texts, counts and URLs, and not %s", m[1], m[2], display.VisibleTo(strings.TrimSpace(m[3]), 200))
	}
	return ""
}

func forge(contract json.RawMessage) forgery {
	f := forgery{URLs: []string{}, Texts: []wantedText{}, Counts: []wantedCount{}}
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
	walk(jsonfile.Loose("contract", contract).Value())
	return f
}
