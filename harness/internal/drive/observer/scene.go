package observer

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Scene is the last state of an episode's page, for a person to look at. Its strings come
// from the page. They are cut and valid UTF-8, but not safe for a terminal.
type Scene struct {
	URL      string          `json:"url"`
	Title    string          `json:"title"`
	Text     string          `json:"text"` // visible, at most 64 KiB
	Dialogs  []record.Dialog `json:"dialogs,omitempty"`
	Console  []string        `json:"console,omitempty"`  // the last errors, at most 50 of 1 KiB
	Requests []string        `json:"requests,omitempty"` // the last failed requests, at most 50 of 1 KiB
	Missing  string          `json:"missing,omitempty"`  // why a part is missing
	PNG      []byte          `json:"-"`                  // the screenshot; nil: there is none
}

const maxSceneText = 64 << 10

// sceneScript reads only as much text as a scene holds.
const sceneScript = `(() => {` + primordials + `
return '{"url":' + json(cut(location.href, 2048)) +
	',"title":' + json(cut(call("get title", document), 1024)) +
	',"text":' + json(cut(visibleText(), 65536)) + "}";
})()`

// Scene reads the tab a last time. It returns no error: Missing says which parts it could
// not read before ctx ended, and why. It dismisses dialogs, like Read.
func (o *Observer) Scene(ctx context.Context, tabID string) Scene {
	t := o.tab(tabID)
	if t == nil {
		return Scene{Missing: "no such tab: " + display.Short(tabID)}
	}
	guarded, end := o.guard(ctx, t)
	limited, cancel := context.WithTimeout(guarded, pageLimit)
	defer cancel()
	s := Scene{URL: o.urlOf(t)}
	var missing []string
	miss := func(what string, err error) {
		if err != nil {
			missing = append(missing, what+": "+o.explain(ctx, t, err).Error())
		}
	}
	var p struct {
		URL   string `json:"url"`
		Title string `json:"title"`
		Text  string `json:"text"`
	}
	err := o.evaluate(limited, t, sceneScript, &p)
	if miss("text", err); err == nil {
		s.URL, s.Title, s.Text = cut(p.URL, maxURL), cut(p.Title, maxText), cut(p.Text, maxSceneText)
	}
	png, err := o.screenshot(limited, t, true)
	if miss("screenshot", err); err == nil {
		s.PNG, err = base64.StdEncoding.DecodeString(png)
		miss("screenshot", err)
	}
	end()
	o.mu.Lock()
	defer o.mu.Unlock()
	s.Dialogs = slices.Clone(t.dialogs)
	s.Console = slices.Clone(t.console.errors)
	s.Requests = slices.Clone(t.failed)
	s.Missing = strings.Join(missing, "; ")
	return s
}
