package launch

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
)

// endless reads as the same byte for ever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	n := copy(p, []byte{byte(e)})
	for n > 0 && n < len(p) { // the race detector is slow at single bytes
		n += copy(p[n:], p[:n])
	}
	return n, nil
}

// around is head, so many bytes of text, and tail.
func around(head string, size int64, tail string) io.Reader {
	return io.MultiReader(strings.NewReader(head), io.LimitReader(endless('x'), size), strings.NewReader(tail))
}

func TestLimitLines(t *testing.T) {
	const over = session.MaxAnswer + 1
	instead := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32000,"message":"the answer is larger than 8 MiB"}}` + "\n"
	}
	tests := []struct {
		name       string
		head, tail string
		size       int64
		want       string
	}{
		{"id first", `{"jsonrpc":"2.0","id":7,"result":{"text":"`, `"}}`, over, instead("7")},
		{"id last", `{"result":{"id":1,"text":"`, `"},"jsonrpc":"2.0","id":7}`, over, instead("7")},
		{"id before the version", `{"result":{"text":"`, `"}, "id": 7 , "jsonrpc": "2.0" } `, over, instead("7")},
		{"id in words", `{"jsonrpc":"2.0","id":"a b","result":{"text":"`, `"}}`, over, instead(`"a b"`)},
		{"an error", `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"`, `"}}`, over, instead("7")},
		{"id of something within", `{"result":{"id":1,"text":"`, `"},"x":{"id":7}}`, over, ""},
		{"id within a text", `{"result":{"text":"`, `,\"id\":7}"}}`, over, ""},
		{"id is null", `{"jsonrpc":"2.0","id":null,"error":{"message":"`, `"}}`, over, ""},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"`, `"}}`, over, ""},
		{"request", `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"data":"`, `"}}`, over, ""},
		{"no message", "", "", over, ""},
		{"just too large", `{"jsonrpc":"2.0","id":7,"result":"`, `"}`, session.MaxAnswer - 36, instead("7")},
		{"a list", `[{"id":7,"result":"`, `"}]`, over, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const before, after = "before\n", "after\n"
			got, err := io.ReadAll(session.LimitLines(io.MultiReader(
				strings.NewReader(before), around(tt.head, tt.size, tt.tail+"\n"), strings.NewReader(after))))
			need.OK(t, err)
			need.Equal(t, "", before+tt.want+after, string(got[:min(len(got), 1000)]))
		})
	}
}

// What is not too large comes as it was, many megabytes in all.
func TestLimitLinesLeavesTheRest(t *testing.T) {
	whole := strings.Repeat(strings.Repeat("x", 1<<20)+"\n\r\n\n", 100) + strings.Repeat("y", session.MaxAnswer-1) + "\n"
	got, err := io.ReadAll(session.LimitLines(strings.NewReader(whole)))
	if err != nil || string(got) != whole {
		t.Errorf("of %d bytes came %d, error %v", len(whole), len(got), err)
	}
}

// A line that never ends takes no more memory than one that is just not too large.
func TestLimitLinesBoundsMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := io.Copy(io.Discard, session.LimitLines(io.LimitReader(endless('x'), 256<<20)))
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; n != 0 || err != nil || allocated > 2*session.MaxAnswer {
		t.Errorf("of 256 MiB %d bytes came, %d MiB of memory were taken, error %v", n, allocated>>20, err)
	}
}

// Whatever a message looks like: the id that is found is its own.
func FuzzAnswerID(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":7,"result":{"id":8}}`, 20, 10)
	f.Add(`{"result":{"text":",\"id\":8}"},"jsonrpc":"2.0","id":7}`, 5, 12)
	f.Add(`{"result":{"a,":{"id":8}},"id":"x" , "jsonrpc":"2.0"} `, 5, 40)
	f.Fuzz(func(t *testing.T, line string, head, end int) {
		head, end = min(max(head, 0), len(line)), min(max(end, 0), len(line))
		id, ok := session.AnswerID([]byte(line[:head]), []byte(line[len(line)-end:]))
		var members map[string]json.RawMessage
		if !ok || json.Unmarshal([]byte(line), &members) != nil || strings.Count(line, "id")+strings.Count(line, `\u`) > 1 {
			return // of two ids, which counts is nobody's promise
		}
		got, err := json.Marshal(id)
		var want any
		if err == nil {
			err = json.Unmarshal(members["id"], &want)
		}
		if again, _ := json.Marshal(want); err != nil || !bytes.Equal(got, again) {
			t.Errorf("%s: id %s, want %s, error %v", line, got, members["id"], err)
		}
	})
}

// serveLarge answers a call with so many bytes of text, in the way that the
// path names.
func serveLarge(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
			Params struct{ Arguments struct{ Text string } }
		}
		json.NewDecoder(r.Body).Decode(&q)
		way := strings.TrimPrefix(r.URL.Path, "/")
		head, tail, size := `{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":`, "}", int64(0)
		switch q.Method {
		case "tools/call":
			head, tail = head+`{"content":[{"type":"text","text":"`, `"}]}}`
			if _, err := fmt.Sscan(q.Params.Arguments.Text, &size); err != nil {
				head += q.Params.Arguments.Text
			}
		case "initialize":
			head += `{"protocolVersion":"` + session.Protocol + `","capabilities":{"tools":{}},"serverInfo":{"name":"large","version":"1"}}`
		case "tools/list":
			head += `{"tools":[{"name":"large","inputSchema":{"type":"object"}},{"name":"echo","inputSchema":{"type":"object"}}]}`
		default:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		var out io.Writer = w
		if strings.HasSuffix(way, "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			zip, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			defer zip.Close()
			out = zip
		}
		switch {
		case strings.HasPrefix(way, "events"):
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(out, `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}`+"\r\n\r\n")
			head, tail = "event: message\ndata: "+head, tail+"\n\n"
		case way == "status" && size > 0:
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusBadGateway)
		default:
			w.Header().Set("Content-Type", "application/json")
		}
		io.Copy(out, around(head, size, tail))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// What an address answers is bounded as well, after decompression.
func TestURLTooLarge(t *testing.T) {
	address := serveLarge(t)
	for _, way := range []string{"json", "json-gzip", "events", "events-gzip", "status"} {
		t.Run(way, func(t *testing.T) {
			s := launch(t, newURL(t, address+"/"+way))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			tooLargeFor(t, s, 200<<20)
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 128<<20 {
				t.Errorf("200 MiB took %d MiB of memory", allocated>>20)
			}
			if !strings.HasPrefix(way, "events") {
				return
			}
			const fits = session.MaxAnswer - 1000
			need.Is(t, "", fits, len(call(t, s, "large", fmt.Sprint(fits))))
		})
	}
}
