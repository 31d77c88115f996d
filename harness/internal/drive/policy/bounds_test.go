package policy

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// counted is a context that ends when it was asked so many times.
type counted struct {
	context.Context
	left int
}

func (c *counted) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A page of bounded size takes bounded memory, and looking at it ends with the context.
func TestBounds(t *testing.T) {
	p := server.OpenChrome()
	const size = session.MaxAnswer
	for name, answer := range map[string]string{
		"boxes":    strings.Repeat("[1]<input type=\"text\"/>\n", size/24),
		"flags":    "[1]<input " + strings.Repeat("disabled ", size/9) + "/>Name",
		"brackets": strings.Repeat("[", size),
		"nested":   strings.Repeat(strings.Repeat(" ", 200)+"[1]<div/>x\n", size/212),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		items := parse(t.Context(), p.Page, answer)
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; len(items) > maxItems || used > 200 {
			t.Errorf("%s: %d lines took %d MiB", name, len(items), used)
		}
	}
	files := strings.Repeat("[1]<input type=\"file\"/> ★\n", 50_000)
	if n := len(parse(&counted{t.Context(), 100}, p.Page, files)); n > 100 {
		t.Errorf("after the end of the context %d lines were read", n)
	}
	e := &engine{server: p, ctx: &counted{t.Context(), 60_000}}
	e.page = parse(e.ctx, p.Page, files) // naming them is quadratic, but ends, too
	e.page = parse(t.Context(), p.Page, strings.Repeat("[1]<div/>Save\n", 50_000))
	e.ctx = &counted{t.Context(), 10}
	if n := e.count(intent.Intent{Verb: intent.Press, Text: "Save"}); n > 10 {
		t.Errorf("after the end of the context %d controls were counted", n)
	}
}
