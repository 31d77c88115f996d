package observer

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// screenshotScript reads the viewport, in CSS pixels from the top of the document, and whether the
// tab is in front of its window.
const screenshotScript = `(() => {` + primordials + `
const of = name => json(call("get " + name, window));
return '{"x":' + of("scrollX") + ',"y":' + of("scrollY") + ',"width":' + of("innerWidth") + ',"height":' + of("innerHeight") +
	',"ratio":' + of("devicePixelRatio") + ',"front":' + (call("get visibilityState", document) === "visible") + "}";
})()`

// Picture returns a PNG of a tab, nil if there is none in time, a dialog is open or the tab is behind
// another one. It does not act on the page.
func (o *Observer) Picture(ctx context.Context, tabID string) []byte {
	t := o.tab(tabID)
	if t == nil {
		return nil
	}
	o.mu.Lock()
	open := t.open != nil
	o.mu.Unlock()
	if open {
		return nil
	}
	data, err := o.screenshot(ctx, t, false)
	if err != nil {
		return nil
	}
	png, _ := base64.StdEncoding.DecodeString(data)
	return png
}

// screenshot returns a PNG of the tab's viewport in base64, with one pixel for each CSS pixel. If the
// tab is behind another one, it brings it to the front or, unless mayAct, returns an error.
func (o *Observer) screenshot(ctx context.Context, t *tab, mayAct bool) (string, error) {
	var v struct {
		X      float64 `json:"x"`
		Y      float64 `json:"y"`
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
		Ratio  float64 `json:"ratio"`
		Front  bool    `json:"front"`
	}
	if err := o.evaluate(ctx, t, screenshotScript, &v); err != nil {
		return "", err
	}
	if !v.Front && !mayAct {
		return "", errors.New("the tab is behind another one")
	}
	// Chromium may never draw a tab that is behind another one, such as the opener of a popup.
	if !v.Front {
		o.act(false)
		if _, err := devtools.Call(ctx, o.session(t), page.BringToFront, cdp.Empty{}); err != nil {
			return "", err
		}
	}
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}
	if v.Ratio != 1 {
		params.Clip = &page.Viewport{X: v.X, Y: v.Y, Width: v.Width, Height: v.Height, Scale: 1 / v.Ratio}
	}
	// The typed result would decode the base64, but the facts need it encoded.
	var r struct {
		Data string `json:"data"`
	}
	err := o.session(t).Call(ctx, page.CaptureScreenshot.Method, params, &r)
	return r.Data, err
}

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
	guarded, end := o.guard(ctx, t, true)
	limited, cancel := context.WithTimeout(guarded, pageLimit)
	defer cancel()
	s := Scene{URL: o.URL(string(t.id))}
	var missing []string
	miss := func(what string, err error) {
		if err != nil {
			missing = append(missing, what+": "+o.explain(ctx, t, err).Error())
		}
	}
	miss("text", o.evaluate(limited, t, sceneScript, &s))
	s.URL, s.Title, s.Text = cut(s.URL, maxURL), cut(s.Title, maxText), cut(s.Text, maxSceneText)
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
