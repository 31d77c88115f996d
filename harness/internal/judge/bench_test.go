package judge

import (
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
)

const typicalContract = `{"kind":"and","children":[
	{"kind":"url","pattern":"^https://shop\\.example\\.com/cart(?:\\?.*)?$"},
	{"kind":"dom_text","selector":"body","contains":"Your order is complete"},
	{"kind":"dom_count","selector":".item","op":"gte","value":2}]}`

func typicalInput() Input {
	url := "https://shop.example.com/cart?id=42"
	body := strings.Repeat("Lorem ipsum dolor sit amet, consectetur.\n", 500) + "Your order is complete"
	return Input{
		Facts: &evidence.Facts{
			URL:      &url,
			DOMText:  &evidence.Text{Of: map[string]*string{"body": &body}},
			DOMCount: map[string]float64{".item": 3},
		},
		Now: time.UnixMilli(1700000010000),
	}
}

// BenchmarkJudge judges a typical contract on 20 kB of text. Target: 20 µs
// and 60 allocations.
func BenchmarkJudge(b *testing.B) {
	c, faults := Parse([]byte(typicalContract))
	if faults != nil {
		b.Fatal(faults)
	}
	in := typicalInput()
	b.ReportAllocs()
	for b.Loop() {
		if j := Judge(c, in); j.Verdict != Pass {
			b.Fatal(j.InconclusiveReason)
		}
	}
}

// BenchmarkParseJudge parses it first. Target: 60 µs.
func BenchmarkParseJudge(b *testing.B) {
	in := typicalInput()
	b.ReportAllocs()
	for b.Loop() {
		c, faults := Parse([]byte(typicalContract))
		if faults != nil {
			b.Fatal(faults)
		}
		if j := Judge(c, in); j.Verdict != Pass {
			b.Fatal(j.InconclusiveReason)
		}
	}
}

// BenchmarkExplain explains a failure, with the search for a near miss in
// 20 kB of text.
func BenchmarkExplain(b *testing.B) {
	c, faults := Parse([]byte(strings.Replace(typicalContract, "order is complete", "Ordre was completed", 1)))
	if faults != nil {
		b.Fatal(faults)
	}
	in := typicalInput()
	j := Judge(c, in)
	b.ReportAllocs()
	for b.Loop() {
		Explain(c, in, j)
	}
}

func BenchmarkUTF16Len(b *testing.B) {
	s := strings.Repeat("Übergrößen 日本 😀 ", 1000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		jsregexp.Length(s)
	}
}
