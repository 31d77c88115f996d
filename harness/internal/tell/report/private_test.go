package report_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/format/html"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// secrets are the texts of the log of drawn that can hold drawn values.
var secrets = []string{
	"Another Domain", "Example Domain", "example.com", "✓ Clicked", "with Pressed", "drawn goal", "start.test", "drawn argument",
	"drawn end", "drawn page", "drawn failure", "drawn harm", "drawn want", "drawn body", "drawn field", "drawn words",
	"drawn before", "drawn event", "drawn loss",
}

// drawn is the log of a run with this draw. It has a text in every field that can hold a
// drawn value.
func drawn(t *testing.T, seed int, key string) *script {
	t.Helper()
	s := drifting(t, tabA, "x")
	s.events[0].Body.(*record.RunStart).Options.Seed = seed
	s.events[0].Body.(*record.RunStart).Options.SeedKey = key
	for i := range s.events {
		switch b := s.events[i].Body.(type) {
		case *record.Reset:
			b.Task.Goal, b.Task.StartURL, b.Task.Revision = "drawn goal", "https://start.test/", 3
		case *record.ToolCall:
			b.Args = []byte(`{"a":"drawn argument"}`)
		case *record.ToolResult:
			if b.Drift != nil {
				b.Drift.Expected = `text with Pressed`
			}
			if b.Step == 0 {
				b.Failure, b.Cause = "drawn failure", ""
			}
		case *record.ContractEval:
			b.Harm = []string{"drawn harm"}
		case *record.Stop:
			b.ServerEnded, b.PageMissing, b.Ended = "drawn end", "drawn page", "drawn words"
			b.Missed = []record.Missed{{Kind: record.MissedValue, Sent: "POST /drawn field", Unmet: []record.Unmet{{Of: "field", Name: "drawn field", Wanted: "drawn want", Got: "drawn body"}}}}
			b.Requests = []record.Request{{Method: "POST", URL: "https://a.test/drawn field", Body: "drawn body"}}
		}
	}
	var events []record.Event
	for _, e := range s.events {
		events = append(events, e)
		if r, ok := e.Body.(*record.ToolResult); ok && e.By == record.ByAdapter {
			e.By, e.Body = "", &record.Trace{Step: r.Step, Changed: []record.Field{{Was: "drawn before"}}, Events: []record.Heard{{Kind: "key", Text: "drawn event"}}, Lost: []string{"drawn loss"}, Parts: []record.Part{{
				Asked: "drawn field", Value: "drawn want", Word: record.OtherValue, Did: "drawn body", Hit: &record.Element{Name: "drawn field"}, Untrue: true,
			}}}
			events = append(events, e)
		}
	}
	s.events = events
	return s
}

var formats = map[string]func(io.Writer, *report.Report) error{
	"JSON": format.JSON, "Markdown": format.Markdown, "canonical": report.Canonical, "JUnit": format.JUnit, "gobench": format.GoBench, "GitHub": format.GitHub,
	"HTML": unpacked,
}

var packed = regexp.MustCompile(`<script type="text/plain" id="(?:list|chunk-\d+)">([^<]*)</script>`)

// unpacked writes the page of a report, and all that its script would unpack.
func unpacked(w io.Writer, r *report.Report) error {
	var b bytes.Buffer
	if err := html.Report(&b, r, ""); err != nil {
		return err
	}
	for _, m := range packed.FindAllSubmatch(b.Bytes(), -1) {
		unpack, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(m[1])))
		if err != nil {
			return err
		}
		if _, err := io.Copy(&b, unpack); err != nil {
			return err
		}
	}
	_, err := b.WriteTo(w)
	return err
}

// No report of a private draw holds a text that can hold a drawn value, and every one says
// why.
func TestPrivateDraw(t *testing.T) {
	const key = "9f9f5111f7b27a78"
	public, private := drawn(t, 4, "").report(t), drawn(t, 4, key).report(t)
	all := ""
	for name, write := range formats {
		var b bytes.Buffer
		if err := write(&b, public); err != nil {
			t.Fatal(err)
		}
		all += b.String()
		if strings.Contains(b.String(), "private") && name != "HTML" {
			t.Errorf("%s of a public draw says that it is private:\n%s", name, b.String())
		}
		b.Reset()
		if err := write(&b, private); err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if strings.Contains(b.String(), secret) {
				t.Errorf("%s holds %q", name, secret)
			}
		}
		if name != "GitHub" && !strings.Contains(b.String(), key) {
			t.Errorf("%s does not name the key:\n%s", name, b.String())
		}
		if name != "gobench" && name != "JUnit" && name != "GitHub" && !strings.Contains(b.String(), "drawn with a private key, do not publish") {
			t.Errorf("%s does not say that the draw is private", name)
		}
	}
	for _, secret := range secrets {
		if !strings.Contains(all, secret) {
			t.Errorf("no report of a public draw holds %q: the test does not test it", secret)
		}
	}
	if diff := cmp.Diff(public.Totals, private.Totals); diff != "" {
		t.Errorf("totals (-public +private):\n%s", diff)
	}
	for i := range public.Episodes.All() {
		if why := explain.Why(private.Episodes.At(i)); (why == "") != (explain.Why(public.Episodes.At(i)) == "") {
			t.Errorf("why: %q", why)
		}
	}
	for i := range private.Episodes.All() {
		p, q := private.Episodes.At(i), public.Episodes.At(i)
		if p.Digest == q.Digest || p.Tokens() != 0 || q.Tokens() == 0 {
			t.Errorf("%s: digest %s, %d tokens", p.Name, p.Digest, p.Tokens())
		}
		for j := range p.Calls {
			if d := p.Calls[j].Digest; d != "" && d == q.Calls[j].Digest {
				t.Errorf("%s: everybody can make the digest of call %d, and so check a guess", p.Name, j)
			}
		}
	}
	again := strings.Join(explain.Again(private, private.Episodes.At(0), ""), "\n")
	if want := "-seed=4 -seedKey=KEYFILE"; !strings.Contains(again, want) {
		t.Errorf("again: %s, want %s", again, want)
	}
}

// Digests of a private draw are equal only with the same key.
func TestPrivateDigests(t *testing.T) {
	digest := func(key string) string {
		s := drawn(t, 4, "9f9f5111f7b27a78")
		s.events[0].Body.(*record.RunStart).Options.DigestKey = []byte(key)
		return s.report(t).Digest
	}
	a, again, b := digest("a"), digest("a"), digest("b")
	if a != again || a == b {
		t.Error("digests do not depend on the key")
	}
}

// Two draws are two different runs, and so are two revisions.
func TestCanonicalDraw(t *testing.T) {
	digests := make(map[string]string)
	revised := drawn(t, 0, "")
	for i := range revised.events {
		if b, ok := revised.events[i].Body.(*record.Reset); ok {
			b.Task.Revision = 4
		}
	}
	for name, s := range map[string]*script{
		"draw 0": drawn(t, 0, ""), "draw 1": drawn(t, 1, ""), "private": drawn(t, 0, "9f9f5111f7b27a78"), "another key": drawn(t, 0, "0000000000000000"), "revision 4": revised,
	} {
		r := s.report(t)
		if other := digests[r.Digest]; other != "" {
			t.Errorf("%s and %s have one digest", name, other)
		}
		digests[r.Digest] = name
		var b bytes.Buffer
		if err := report.Canonical(&b, r); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{`"seed": `, `"revision":`} {
			if !strings.Contains(b.String(), field) {
				t.Errorf("%s: the canonical report has no %s", name, field)
			}
		}
	}
}
