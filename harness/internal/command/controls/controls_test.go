package controls

import (
	"net/url"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

const source = `<!doctype html><title>T</title><h1>Desk</h1>
<a href="/help?x=1">Help</a> <a>no link</a> <a href="//other.test/#a">Other</a>
<form action="/send">
<div><label for="n">Your
 name</label> <input id="n" name="who" required></div>
<div><label>Seats <input type="number" name="seats" value="2"></label></div>
<div><input type="search" placeholder="Search &lt;all&gt;"></div>
<div><label><input type="checkbox" name="news" checked> News</label></div>
<div><label><input type="radio" name="by" value="post" disabled> By post</label></div>
<div><label for="t">Topic</label> <select id="t"><option>Rooms</option><option value="b">Books</option></select></div>
<input type="hidden" name="token" value="x">
<div hidden><button>Ghost</button></div>
<button name="op" value="go">Send <b>now</b></button> <input type="submit" value="Send too"> <span role="switch" aria-label="Alarm">o</span>
</form><script>document.write("<button>Later</button>")</script>`

func TestLines(t *testing.T) {
	u, _ := url.Parse("https://desk.test/a/b")
	want := []string{
		`link "Help" to https://desk.test/help?x=1`,
		`link "no link"`,
		`link "Other" to https://other.test/#a`,
		`text, field "Your name" (required)`,
		`number, field "Seats"`,
		`search, field "Search <all>"`,
		`checkbox, field "News" (checked)`,
		`radio, field "By post", value "post" (disabled)`,
		`select, field "Topic": Rooms, b (Books)`,
		`button "Send now", value "go"`,
		`submit, value "Send too"`,
		`switch "Alarm"`,
	}
	need.Equal(t, "", want, Lines(u, source))
	if got := Lines(u, "\x1b[2J<button>\x1b]0;x</button>"); strings.ContainsAny(strings.Join(got, ""), "\x1b") {
		t.Errorf("%q could attack a terminal", got)
	}
}

func TestPage(t *testing.T) {
	u, _ := url.Parse("http://desk.test.localhost:8080/a/b")
	page := string(Page(u, []byte(source)))
	for _, want := range []string{
		`<a href="http://desk.test.localhost:8080/a/b">`,
		`<td>link</td><td><a href="http://desk.test.localhost:8080/help?x=1&amp;controls"><code>Help</code></a></td>`,
		`<a href="http://other.test/?controls#a">`,
		`<td>select</td><td></td><td><code>Topic</code></td><td><code>Rooms</code><br><code>b (Books)</code><br></td>`,
		`<code>Search &lt;all&gt;</code>`,
	} {
		need.Has(t, page, want)
	}
	if none := string(Page(u, []byte("<p>x</p>"))); !strings.Contains(none, ">none<") {
		t.Errorf("a page without controls: %s", none)
	}
}
