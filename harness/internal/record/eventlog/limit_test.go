package eventlog_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
)

// endless is a line without an end.
type endless struct{ read int64 }

func (r *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	r.read += int64(len(b))
	return len(b), nil
}

func TestReadBoundsALine(t *testing.T) {
	in := new(endless)
	_, err := eventlog.Read(t.Context(), io.MultiReader(strings.NewReader("\n"), in), "r.jsonl", func(record.Event) error { return nil })
	need.Is(t, "", "r.jsonl:2: the line has more than 64 MiB", fmt.Sprint(err))
	if in.read < eventlog.MaxLine || in.read > eventlog.MaxLine+1<<20 {
		t.Errorf("%d bytes were read", in.read)
	}
}

// Nothing is written that could not be read.
func TestAppendBoundsALine(t *testing.T) {
	log, err := eventlog.Create(t.TempDir() + "/r.jsonl")
	need.OK(t, err)
	defer log.Close()
	raw, _ := json.Marshal(strings.Repeat("x", eventlog.MaxLine))
	err = log.Append(record.Event{Episode: "t#1", Body: &record.ToolResult{Result: adapter.Result{Raw: raw}}})
	if n := len(need.Read(t, log.Name())); err == nil || n != 0 {
		t.Errorf("%v; the log has %d bytes", err, n)
	}
}

// A short value can take much memory.
func TestReadBoundsValues(t *testing.T) {
	many := strings.Repeat("{},", 1<<20)
	line := fmt.Sprintf(`{"seq":1,"type":"facts","episode":"t#1","facts":{"network":[%s{}]}}`+"\n", many)
	_, err := eventlog.Read(t.Context(), strings.NewReader(line), "r.jsonl", func(record.Event) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "r.jsonl:1: the event facts has more than ") {
		t.Errorf("got %v", err)
	}
}

func TestReadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := eventlog.Read(ctx, endlessLines{}, "r.jsonl", func(record.Event) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// endlessLines is a log without an end.
type endlessLines struct{}

func (endlessLines) Read(b []byte) (int, error) {
	return copy(b, `{"seq":0,"type":"run_end"}`+"\n"), nil
}
