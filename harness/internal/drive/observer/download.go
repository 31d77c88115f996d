package observer

import (
	"slices"
	"time"

	"github.com/chromedp/cdproto/browser"
	json "github.com/chromedp/cdproto/cdp/jsonv2"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

// A Download is a file that the browser has stored completely.
type Download struct {
	URL   string    // the last address of its request, or of what the page made: blob:, data:
	Name  string    // which the answer or the page suggested; the file itself may have another one
	Began time.Time // when the head of the answer had come
	Ended time.Time // when the file was complete; zero: it is not

	guid string
}

// watchDownloads asks for the events of downloads. It leaves alone what the browser does with them:
// a server that attaches later may change that.
var watchDownloads = browser.SetDownloadBehaviorParams{
	Behavior: browser.SetDownloadBehaviorBehaviorDefault, EventsEnabled: new(true),
}

func (o *Observer) downloadBegins(params json.Value) {
	var e browser.EventDownloadWillBegin
	if devtools.Unmarshal(params, &e) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stored = time.Now(); !o.acted && len(o.downloads) < maxRequests {
		d := Download{URL: cut(e.URL, maxURL), Name: cut(e.SuggestedFilename, maxURL), Began: o.stored, guid: e.GUID}
		o.downloads = append(o.downloads, d)
	}
}

func (o *Observer) downloadGoesOn(params json.Value) {
	var e browser.EventDownloadProgress
	if devtools.Unmarshal(params, &e) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stored = time.Now()
	i := slices.IndexFunc(o.downloads, func(d Download) bool { return d.guid == e.GUID })
	if i >= 0 && e.State == browser.DownloadProgressStateCompleted {
		o.downloads[i].Ended = o.stored
	}
}

// Downloads returns the files that have arrived, in the order in which they began. Those that began
// after our first act do not count.
func (o *Observer) Downloads() []Download {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(o.downloads), func(d Download) bool { return d.Ended.IsZero() })
}
