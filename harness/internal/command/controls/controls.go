// Package controls shows the links and controls of a page with the names that a transcript
// needs: the names that find and interact search, the fields of fill_form, and the values of
// options.
package controls

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/standin"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/web"
)

// Lines returns a line for each control of a page, such as
//
//	button "Send message"
//	select, field "Topic": rooms (Meeting rooms), books (Books)
func Lines(u *url.URL, source string) (lines []string) {
	for _, c := range standin.Controls(u, source) {
		line := display.Visible(c.Role)
		if c.Name != "" {
			line += " " + display.Quote(c.Name)
		}
		if c.Field != "" {
			line += ", field " + display.Quote(c.Field)
		}
		if c.Value != "" {
			line += ", value " + display.Quote(c.Value)
		}
		if c.Options != nil {
			line += ": " + display.VisibleTo(strings.Join(c.Options, ", "), 300)
		}
		if c.URL != "" {
			line += " to " + display.VisibleTo(c.URL, 100)
		}
		if c.State != nil {
			line += " (" + strings.Join(c.State, ", ") + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

//go:embed page.tmpl.html
var page string

var pageTemplate = template.Must(template.New("page").Parse(page))

// Page returns an HTML page that lists the controls of the page at u. Its links lead to the
// controls of other pages.
func Page(u *url.URL, source []byte) []byte {
	list := standin.Controls(u, string(source))
	for i, c := range list {
		if to, err := url.Parse(c.URL); err == nil && c.URL != "" {
			to.RawQuery = strings.TrimPrefix(to.RawQuery+"&"+web.ControlsQuery, "&")
			list[i].URL = to.String()
		}
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, map[string]any{"URL": u.String(), "Controls": list}); err != nil {
		return fmt.Append(nil, err)
	}
	return b.Bytes()
}
