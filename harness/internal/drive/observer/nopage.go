package observer

import (
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// NoPage is the error of [Observer.Read] if there is no page to read: the tab is closed
// or crashed, shows a page of the browser itself, or does not answer, or the server changed
// the functions that read it.
type NoPage struct {
	Why string // in words
	// Off says that the tab is closed or shows a page of the browser itself, so it shows no
	// page of the task.
	Off bool
	URL string // URL of the tab; "" if there is no tab
}

func (n *NoPage) Error() string { return n.Why }

// BrowserPage describes a page of the browser itself, such as a blank tab. It returns ""
// for a page from the web.
func BrowserPage(url string) string {
	switch scheme, _, _ := strings.Cut(url, ":"); scheme {
	case "about":
		return "a blank page, " + display.Cut(url, 200)
	case "chrome-error":
		return "the browser's error page"
	case "chrome":
		return "a page of the browser itself, " + display.Cut(url, 200)
	}
	return ""
}
