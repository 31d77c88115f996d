package browser

import (
	"fmt"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/need"
)

// The texts are innerText of the body in Chromium 156.
func TestInnerTextIsChromiums(t *testing.T) {
	for _, row := range []struct{ name, body, want string }{
		{"anchors block", "<a id=a href=x><div>block</div></a><a href=y><p>para</p></a>t", "block\n\npara\n\nt"},
		{"block in inline", "<b id=b>a <div id=d> b </div> c</b> d", "a\nb\nc d"},
		{"blockquote", "<blockquote id=q><p>Quote</p><footer>By X</footer></blockquote><q id=i>inl</q>",
			"Quote\n\nBy X\ninl"},
		{"br first and last", "<div id=a><br>x</div><div id=b>x<br></div><div id=c><br></div><p id=p>y<br>",
			"\nx\nx\n\n\n\n\ny\n"},
		{"cjk newline", "<p id=p>日本\n語 text\n日本</p><p id=q>한국\n어</p>", "日本 語 text 日本\n\n한국 어"},
		{"empty elements", "<p id=a></p><div id=d></div><span id=s></span><p id=w>   </p>x<p> </p>", "x"},
		{"form datalist", "<p id=p>City <input list=d><datalist id=d><option value=a>A</option></datalist> end</p>",
			"City  end"},
		{"headings adjacent p", "<h1>Title</h1><p>Para</p><h2>Next</h2><p>Para 2</p>",
			"Title\n\nPara\n\nNext\n\nPara 2"},
		{"hidden attribute", "<p id=a>shown</p><p id=b hidden>not <b>shown</b></p><span id=s hidden>x</span><p>y</p>",
			"shown\n\ny"},
		{"hr", "a<hr id=h>b<div>c</div><hr><div>d</div>", "a\nb\nc\nd"},
		{"inline edges", "<p id=p>  <b id=b> first</b> <i id=i>last </i> </p>", "first last"},
		{"inline input adjacent", "<div id=d>a<input>b <input> c<input type=checkbox>d<button>e</button>f</div>",
			"ab  cdef"},
		{"inline spaces", "<p id=a>Hello   <b id=b>  bold </b>  <i id=i> it</i> end</p>", "Hello bold it end"},
		{"list ol nested", "<ol id=o><li>One<ul id=n><li>Inner</li></ul></li><li>Two</li></ol>after",
			"One\nInner\nTwo\nafter"},
		{"nbsp", "<p id=p>a&nbsp;&nbsp; b&nbsp; </p><p id=q>&nbsp;</p><p>&nbsp;x&nbsp;</p>",
			"a\u00a0\u00a0 b\u00a0\n\n\u00a0\n\n\u00a0x\u00a0"},
		{"newlines in text", "<p id=p>one\ntwo\n\n  three\ttab</p>", "one two three tab"},
		{"pre leading newline", "x<pre id=p>\n\nsecond</pre>y", "x\n\nsecond\ny"},
		{"pre", "<pre id=p>line 1\n  line 2\n\n\tline 3 \n</pre>", "line 1\n  line 2\n\n\tline 3 \n"},
		{"select inline text", "<p id=p>a <select id=s><option>one<option>two</select> b</p>", "a \none\ntwo\n b"},
		{"space between blocks and inline", "<div id=d> a <p> b </p> c <span> d </span> </div> e", "a\n\nb\n\nc d\ne"},
		{"tab and cr", "<p id=p>a&#13;&#10;b&#9;c &#12; d</p><pre id=q>a&#13;b&#9;c</pre>", "a b c \f d\n\na\rb\tc"},
		{"table empty rows", "<table id=t><tr></tr><tr><td></td><td></td></tr><tr><td>v</td></tr><tr></tr></table>end",
			"\n\t\nv\n\nend"},
		{"trailing space before block", "<div id=d>a <b>b </b><div>c</div> <i> d</i></div>", "a b\nc\nd"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := parsePage(t, "<!doctype html><html lang=en><title>T</title><body>"+row.body)
			if got := p.InnerText(p.Element(atom.Body)); got != row.want || p.doubt != "" {
				t.Errorf("innerText of %s\n got %q\nwant %q; doubt %q", row.body, got, row.want, p.doubt)
			}
		})
	}
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
	if err != nil || len(found) != 1 {
		t.Fatalf("#%s: %d elements, %v", id, len(found), err)
	}
	return found[0]
}
