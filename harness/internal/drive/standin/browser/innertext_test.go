package browser

import (
	"fmt"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/need"
)

// The texts are innerText of the body in Chromium 156; -update would write ours.
func TestInnerTextIsChromiums(t *testing.T) {
	need.Cases(t, "innertext", func(t *testing.T, files map[string]string) string {
		p := parsePage(t, "<!doctype html><html lang=en><title>T</title><body>"+files["body.html"])
		return fmt.Sprintf("%q", p.InnerText(p.Element(atom.Body))) + p.doubt
	})
}

// The text of an element that is not displayed is its textContent.
func TestInnerTextOfParts(t *testing.T) {
	p := parsePage(t, `<p id=b hidden>not <b>shown</b></p><table id=t><tr id=r><td id=d>a<td>b<tr><td>c</table><select><option id=o> a  b </select>`)
	for id, want := range map[string]string{"b": "not shown", "t": "a\tb\nc", "r": "a\tb", "d": "a", "o": "a b"} {
		need.Is(t, fmt.Sprintf("innerText of #%s", id), want, p.InnerText(byID(t, p, id)))
	}
}

func parsePage(t testing.TB, source string) *Page {
	t.Helper()
	return NewPage(parse(t, "https://example.com/"), source)
}

func byID(t testing.TB, p *Page, id string) *html.Node {
	t.Helper()
	found, err := Query(p.Doc, "#"+id)
	need.OK(t, err)
	need.Is(t, fmt.Sprintf("#%s", id), 1, len(found))
	return found[0]
}
