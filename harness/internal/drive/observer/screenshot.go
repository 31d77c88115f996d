package observer

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
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
