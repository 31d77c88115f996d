package observer

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

// A screenshot has one pixel for each CSS pixel of the viewport, also below the top of a
// long page and on a screen with two pixels for one.
func TestScreenshot(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<body style="margin:0"><div style="height:3000px;background:red"></div><div style="height:3000px;background:rgb(0,128,0)"></div>`})
	needs := judge.Needs{Screenshot: true}
	look := func(r Reading) string {
		t.Helper()
		raw, err := base64.StdEncoding.DecodeString(r.Facts.ScreenshotPNG)
		if err != nil || r.Facts.Unavailable != nil {
			t.Fatal(err, r.Facts.Unavailable)
		}
		img, err := png.Decode(bytes.NewReader(raw))
		need.OK(t, err)
		red, green, _, _ := img.At(1000, 500).RGBA()
		if raw[24] != 8 || raw[25] != 2 && raw[25] != 6 {
			t.Errorf("a PNG of bit depth %d, colour type %d", raw[24], raw[25])
		}
		return fmt.Sprintf("%v %d,%d", img.Bounds().Size(), red>>8, green>>8)
	}
	got := open(t, o, tab, web.URL, needs)
	if s := look(got); s != "(1920,1080) 255,0" {
		t.Errorf("got %s", s)
	}
	need.OK(t, need.Err(devtools.Call(t.Context(), o.sessionOf(t, tab), emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1920, Height: 1080, DeviceScaleFactor: 2})))
	var none any
	need.OK(t, o.evaluate(t.Context(), o.find(tab), `scrollTo(0, 4000), "null"`, &none))
	if s := look(readWhen(t, o, Request{TabID: tab, Needs: needs}, func(Reading) bool { return true })); s != "(1920,1080) 0,128" {
		t.Errorf("scrolled, two pixels for one: %s", s)
	}
	if picture := o.Picture(t.Context(), tab); !bytes.HasPrefix(picture, []byte("\x89PNG")) {
		t.Errorf("picture of %d bytes", len(picture))
	}
	// A tab behind another one.
	front := newTab(t, o, web.URL)
	if s := look(readWhen(t, o, Request{TabID: tab, Needs: needs}, func(Reading) bool { return true })); s != "(1920,1080) 0,128" {
		t.Errorf("behind another tab: %s", s)
	}
	if s := look(readWhen(t, o, Request{TabID: front, Needs: needs}, func(r Reading) bool { return r.Settled })); s != "(1920,1080) 255,0" {
		t.Errorf("a second tab: %s", s)
	}
	// The contract can hash the image. The class does not exist.
	need.OK(t, need.Err(devtools.Call(t.Context(), o.sessionOf(t, tab), emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 64, Height: 64, DeviceScaleFactor: 1})))
	got = readWhen(t, o, Request{TabID: tab, Needs: needs}, func(Reading) bool { return true })
	if j := verdictOn(t, got, tab, `{"kind":"screenshot_class","class_id":"none","distance_max":64}`); !strings.Contains(j.InconclusiveReason, "none") {
		t.Errorf("judged %+v", j)
	}
}

// A tab behind another one comes to the front, because Chromium may never draw it there. That is an act:
// what pages request from then on is no fact. A picture for people is none, and is not taken there.
func TestScreenshotBringsToFront(t *testing.T) {
	o, tab := observe(t)
	web := serve(t, map[string]string{"/": `<p>Page</p><script>addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") fetch("/seen") })</script>`})
	acts := 0
	o.BeforeAct(func() { acts++ })
	open(t, o, tab, web.URL, judge.Needs{Screenshot: true})
	if o.Picture(t.Context(), tab) == nil || acts > 0 {
		t.Errorf("in front: no picture, or %d acts", acts)
	}
	newTab(t, o, web.URL)
	visible := func() (state string) {
		need.OK(t, o.evaluate(t.Context(), o.find(tab), `JSON.stringify(document.visibilityState)`, &state))
		return state
	}
	waitFor(t, func() bool { return visible() == "hidden" })
	if picture := o.Picture(t.Context(), tab); picture != nil || visible() != "hidden" {
		t.Errorf("a picture of %d bytes, and the tab is %s", len(picture), visible())
	}
	shown := readWhen(t, o, Request{TabID: tab, LiveWeb: true, Needs: judge.Needs{Screenshot: true, Network: true}}, func(r Reading) bool { return r.Facts.ScreenshotPNG != "" })
	last := readWhen(t, o, Request{TabID: tab, LiveWeb: true, Needs: judge.Needs{Network: true}}, func(Reading) bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return slices.ContainsFunc(o.find(tab).failed, func(s string) bool { return strings.Contains(s, "/seen") })
	})
	after := slices.ContainsFunc(last.Facts.Network, func(q evidence.Request) bool { return strings.HasSuffix(q.URL, "/seen") })
	if acts != 1 || after || shown.Late || last.Late {
		t.Errorf("%d acts, the request after it counts: %t, late %t and %t", acts, after, shown.Late, last.Late)
	}
	need.Is(t, "after its screenshot the tab", "visible", visible())
}
