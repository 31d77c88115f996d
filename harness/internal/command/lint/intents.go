package lint

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// intents checks that the pages of the task show what its intents name. It looks into the sources of
// the hosts, so it knows neither what a script puts together nor which page shows what.
func (l *linter) intents(source func(host string) map[string][]byte) {
	f := intent.Open(l.spec)
	l.file = f
	all, stripped := l.sources(source)
	for _, n := range f.Lines() {
		for _, m := range n.Items {
			if !names(n, m) {
				continue
			}
			if !l.shown(m.Text, all, stripped, m.Key != "after") {
				l.warn(m, fmt.Sprintf("no page of the task's hosts shows %s", display.Quote(m.Text)))
			}
		}
	}
}

// names reports whether a text of an intent is the name of a control, or a text that comes before one.
func names(line, n *jsonfile.Node) bool {
	switch intent.Verb(n.Key) {
	case intent.Press, intent.Send, intent.Fill, intent.Choose, intent.Check, intent.Uncheck, intent.Hover, intent.Drag, intent.Scroll, intent.Upload:
		return true // not try: its target may be missing on purpose
	}
	return n.Key == "to" || n.Key == "on" || n.Key == "after" && line.Get(string(intent.Try)) == nil
}

var (
	hostName = regexp.MustCompile(`[a-z0-9-]+(?:\.[a-z0-9-]+)+`)
	tags     = regexp.MustCompile(`<[^<>]*>`)
	space    = regexp.MustCompile(`[\s\x{a0}]+`)
)

// sources returns the sources of the hosts that the task begins on or lists, and of those that these
// name; also without tags.
func (l *linter) sources(source func(string) map[string][]byte) (all, stripped string) {
	hosts := slices.Clone(l.spec.Sites)
	if u, err := url.Parse(l.spec.StartURL); err == nil {
		hosts = append(hosts, u.Hostname())
	}
	var b strings.Builder
	seen := make(map[string]bool)
	for len(hosts) > 0 {
		host := hosts[0]
		hosts = hosts[1:]
		if seen[host] {
			continue
		}
		seen[host] = true
		for _, data := range source(host) {
			b.Write(data)
			b.WriteByte('\n')
			hosts = append(hosts, hostName.FindAllString(string(data), -1)...)
		}
	}
	all = space.ReplaceAllString(html.UnescapeString(strings.ToValidUTF8(b.String(), "\uFFFD")), " ")
	return all, space.ReplaceAllString(tags.ReplaceAllString(all, ""), " ")
}

// shown reports whether a page may show a text: a drawn value, a text of which no more than drawn
// values is missing, or a text of the sources: whole says that it must be all of an element or of a
// string there.
func (l *linter) shown(text, all, stripped string, whole bool) bool {
	text = space.ReplaceAllString(strings.TrimSpace(text), " ")
	values := l.spec.Values.All()
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	rest := mark.ReplaceAllString(text, "\x00")
	rest = strings.ReplaceAll(rest, "\ufffd", "\x00") // half a character, which a script cut
	for _, v := range values {
		if v != "" {
			rest = strings.ReplaceAll(rest, v, "\x00")
		}
	}
	drawn := strings.Contains(rest, "\x00")
	switch {
	case drawn:
		for part := range strings.SplitSeq(rest, "\x00") {
			for word := range strings.FieldsSeq(part) {
				if !strings.Contains(all, word) {
					return false
				}
			}
		}
		return true
	case !whole || !strings.Contains(all, text):
		return strings.Contains(all, text) || strings.Contains(stripped, text)
	}
	return regexp.MustCompile("[>}\"'`(] ?" + regexp.QuoteMeta(text) + " ?[<{\"'`)$\\\\]").MatchString(all)
}
