package eventlog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
)

// What was appended is there at once, without a Close.
func TestAppend(t *testing.T) {
	name := filepath.Join(t.TempDir(), "events", "r.jsonl")
	log, err := eventlog.Create(name)
	need.OK(t, err)
	defer log.Close()
	var want []record.Event
	for _, e := range events() {
		need.OK(t, log.Append(e))
		want = append(want, e)
		need.Equal(t, "", want, readAll(t, name), cmpopts.IgnoreUnexported(adapter.Result{}))
	}
}

// events are some of an episode.
func events() []record.Event {
	at := time.Date(2026, 11, 21, 9, 8, 7, 6000, time.UTC)
	in := func(seq int, by record.By, b record.Body) record.Event {
		return record.Event{Seq: seq, TS: at, Episode: "t#1", By: by, Body: b}
	}
	return []record.Event{
		{TS: at, Body: &record.RunStart{SchemaVersion: record.SchemaVersion, RunID: "r", Launcher: "standin", Adapter: "mock", Episodes: 1}},
		in(1, "", &record.Reset{Task: record.Task{ID: "t"}, Repetition: 1}),
		in(2, record.ByAdapter, &record.ToolCall{Call: adapter.Call{Tool: "navigate", Args: json.RawMessage(`{"url":"https://example.com/?a=1&b=<2>"}`)}}),
		in(3, record.ByAdapter, &record.ToolResult{Tool: "navigate", DurationMs: 1.5, Result: adapter.Result{Raw: json.RawMessage(`{"content":[]}`)}}),
		in(4, record.ByHarness, &record.Progress{URL: "https://example.com/"}),
		{TS: at, Body: &record.RunEnd{}},
	}
}

func readAll(t *testing.T, name string) (list []record.Event) {
	t.Helper()
	_, err := eventlog.ReadFile(t.Context(), name, func(e record.Event) error {
		list = append(list, e)
		return nil
	})
	need.OK(t, err)
	return list
}

func TestLogIsNeverOverwritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	need.Write(t, name, "")
	if _, err := eventlog.Create(name); !errors.Is(err, os.ErrExist) {
		t.Errorf("got %v, want ErrExist", err)
	}
}

func TestReadNamesTheBrokenLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	good, _ := events()[0].MarshalJSON()
	need.Write(t, name, string(good)+"\n{broken\n"+string(good)+"\n")
	_, err := eventlog.ReadFile(t.Context(), name, func(record.Event) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), name+":2: ") {
		t.Errorf("got %v, want it to begin with the file and line 2", err)
	}
}

func TestAppendFromManyEpisodes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	log, err := eventlog.Create(name)
	need.OK(t, err)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for seq := range 100 {
				e := events()[4]
				e.Episode, e.Seq = fmt.Sprint("t#", n), seq
				if err := log.Append(e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	log.Close()
	last := map[string]int{}
	events := readAll(t, name)
	for _, e := range events {
		if e.Seq != last[e.Episode] {
			t.Fatalf("%s: seq %d, want %d", e.Episode, e.Seq, last[e.Episode])
		}
		last[e.Episode]++
	}
	need.Is(t, "events", 800, len(events))
}

func TestAppendAfterFailure(t *testing.T) {
	log, err := eventlog.Create(filepath.Join(t.TempDir(), "r.jsonl"))
	need.OK(t, err)
	log.Close()
	first := log.Append(events()[0])
	if again := log.Append(events()[1]); first == nil || again != first {
		t.Errorf("got %v, then %v; want the same error twice", first, again)
	}
}

// A file that is not a log has no last line to remove, even if it has only one line without an
// end.
func TestOpenOther(t *testing.T) {
	for text, isLog := range map[string]bool{
		"": true, `{"seq":0,"ts":"2026-01-01T00:00:00Z","type":"run_st`: true, `{"s`: true, "\n\n" + `{"seq":0`: true,
		"secret": false, `{"seq":1}`: false, "\nsecret": false,
	} {
		file := filepath.Join(t.TempDir(), "r.jsonl")
		need.Write(t, file, text)
		log, err := eventlog.Open(t.Context(), file, func(record.Event) error { return nil })
		if (err == nil) != isLog {
			t.Errorf("%q: error %v", text, err)
		}
		if err == nil {
			log.Close()
		}
	}
}

// Wherever a log was cut, the next writer continues it after its last complete line, and a
// reader who writes nothing changes nothing.
func TestOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	first, _ := events()[0].MarshalJSON()
	second, _ := events()[1].MarshalJSON()
	whole := string(first) + "\n" + string(second) + "\n"
	last := record.Event{Body: &record.RunResume{}}
	added, _ := last.MarshalJSON()
	for cut := range len(whole) + 1 {
		need.Write(t, name, whole[:cut])
		n := 0
		log, err := eventlog.Open(t.Context(), name, func(record.Event) error { n++; return nil })
		need.OK(t, err)
		kept := whole[:strings.LastIndexByte(whole[:cut], '\n')+1]
		if raw, err := os.ReadFile(name); err != nil || string(raw) != whole[:cut] {
			t.Fatalf("cut at %d: Open changed the log: %v", cut, err)
		}
		if log.Torn() != cut-len(kept) || n != strings.Count(kept, "\n") {
			t.Fatalf("cut at %d: torn %d, %d events", cut, log.Torn(), n)
		}
		for range 2 {
			need.OK(t, log.Append(last))
		}
		need.OK(t, log.Close())
		want := kept + strings.Repeat(string(added)+"\n", 2)
		if raw, err := os.ReadFile(name); err != nil || string(raw) != want {
			t.Fatalf("cut at %d: the log is %s, want %s", cut, raw, want)
		}
	}
}

// Two processes never write one log.
func TestLogIsLocked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows a log has no lock")
	}
	name := filepath.Join(t.TempDir(), "r.jsonl")
	log, err := eventlog.Create(name)
	need.OK(t, err)
	ignore := func(record.Event) error { return nil }
	if _, err := eventlog.Open(t.Context(), name, ignore); !errors.Is(err, eventlog.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	log.Close()
	if log, err = eventlog.Open(t.Context(), name, ignore); err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := eventlog.Open(t.Context(), name, ignore); !errors.Is(err, eventlog.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
}

// Where no log can be made, the error names the option. Not even root can write here.
func TestCreateWhereNobodyCanWrite(t *testing.T) {
	for _, dir := range []string{"/proc", os.DevNull} {
		_, err := eventlog.Create(filepath.Join(dir, "r.jsonl"))
		if err == nil || !strings.HasSuffix(err.Error(), "; name a folder that you can write to: -out=<folder>") {
			t.Errorf("in %s: %v", dir, err)
		}
	}
}
