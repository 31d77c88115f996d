package devtools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	json "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/internal/need"
)

// fake is a connection to a browser that a test plays.
func fake(t *testing.T, handle func(method string)) (Session, net.Conn) {
	ours, browsers := net.Pipe()
	c := NewConn(ours, func(_ target.SessionID, method string, _ json.Value) { handle(method) })
	c.Start()
	t.Cleanup(func() {
		browsers.Close()
		<-c.Done
	})
	return Session{Conn: c, ID: "S"}, browsers
}

func TestCall(t *testing.T) {
	huge := strings.Repeat("x", maxMessage)
	for _, test := range []struct {
		name, answer string
		want         string
	}{
		{"a result", `{"id":1,"result":{"product":"Chrome/1"},"sessionId":"S","new":1}`, "Chrome/1"},
		{"half a surrogate pair", `{"id":1,"result":{"product":"a\ud800b"},"sessionId":"S"}`, "a\ufffdb"},
		{"an unknown field", `{"id":1,"result":{"product":"a","more":{}},"sessionId":"S"}`, "a"},
		{"an error", `{"id":1,"error":{"code":-32000,"message":"No","data":"x"},"sessionId":"S"}`, "error No"},
		{"no JSON first", "}{\x00[1]\x00null\x00\x00\"\x00" + `{"id":1,"result":{"product":"a"},"sessionId":"S"}`, "a"},
		{"other answers first", `{"id":7,"result":{}}` + "\x00" + `{"id":-1}` + "\x00" + `{"id":1,"result":{"product":"a"},"sessionId":"S"}`, "a"},
		{"events first", `{"method":"A.b","params":{}}` + "\x00" + `{"method":"A.b"}` + "\x00" + `{"id":1,"result":{"product":"a"},"sessionId":"S"}`, "a"},
		{"no result", `{"id":1,"sessionId":"S"}`, "error Browser.getVersion: jsontext"},
		{"another result", `{"id":1,"result":{"product":1},"sessionId":"S"}`, "error Browser.getVersion: json"},
		{"too large", `{"id":1,"result":{"product":"` + huge + `"}}`, "error the browser's answer is larger than 64 MiB"},
		{"an event that is too large", `{"method":"A.b","params":"` + huge + `"}` + "\x00" + `{"id":1,"result":{"product":"a"},"sessionId":"S"}`, "a"},
		{"no such session", `{"id":1,"error":{"code":-32001,"message":"Session with given id not found."}}`, "error Session with given id not found."},
		{"an answer for another session first", `{"id":1,"result":{"product":"forged"},"sessionId":"T"}` + "\x00" + `{"id":1,"result":{"product":"forged"}}` + "\x00" + `{"id":1,"result":{"product":"a"},"sessionId":"S"}`, "a"},
		{"the end", "", "error the browser has ended"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, b := fake(t, func(string) {})
			go func() {
				raw, _ := bufio.NewReader(b).ReadString(0)
				if want := `{"id":1,"sessionId":"S","method":"Browser.getVersion","params":{}}` + "\x00"; raw != want {
					t.Errorf("the browser reads %q", raw)
				}
				if test.answer == "" {
					b.Close()
				} else {
					io.WriteString(b, test.answer+"\x00")
				}
			}()
			v, err := Call(t.Context(), s, browser.GetVersion, cdp.Empty{})
			got := v.Product
			if err != nil {
				got = "error " + err.Error()
			}
			if !strings.HasPrefix(got, test.want) || test.want == "" {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A browser that neither reads nor answers holds nobody up beyond the context.
func TestCallEnds(t *testing.T) {
	s, b := fake(t, func(string) {})
	for range 3 {
		ctx := need.Within(t, 10*time.Millisecond)
		if _, err := Call(ctx, s, browser.GetVersion, cdp.Empty{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	}
	need.Is(t, "calls still wait", 0, s.Waiting())
	b.Close()
	if _, err := Call(t.Context(), s, browser.GetVersion, cdp.Empty{}); err != ErrGone {
		t.Errorf("error %v", err)
	}
}

func TestReadRaw(t *testing.T) {
	for _, test := range []struct {
		name, stream string
		want         []string
	}{
		{"none", "", nil},
		{"no end", "abc", nil},
		{"empty", "\x00", []string{""}},
		{"as large as may be", "1234567890\x00a\x00", []string{"1234567890", "a"}},
		{"too large", "12345678901\x00a\x00", []string{"large 12345678901", "a"}},
		{"much too large", strings.Repeat("x", 100) + "\x00a\x00b", []string{"large " + strings.Repeat("x", 16), "a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := bufio.NewReaderSize(strings.NewReader(test.stream), 16)
			var got []string
			for {
				raw, large, err := readRaw(r, 10)
				if err != nil {
					break
				}
				if large {
					raw = append([]byte("large "), raw...)
				}
				got = append(got, string(raw))
			}
			need.Equal(t, "", test.want, got)
		})
	}
}

// FuzzReadMessage: whatever comes, the reader takes each message once, keeps to its limit,
// and finds the next one.
func FuzzReadMessage(f *testing.F) {
	f.Add([]byte(`{"id":1,"result":{}}` + "\x00" + `{"method":"A.b","params":{"a":"\ud800"}}` + "\x00"))
	f.Add([]byte("\x00\x00}{\x00"))
	f.Add([]byte(`{"id":123456789012345678901234567890`))
	f.Fuzz(func(t *testing.T, stream []byte) {
		const max = 50
		var parts []string
		if i := strings.LastIndexByte(string(stream), 0); i >= 0 {
			parts = strings.Split(string(stream[:i]), "\x00")
		}
		raws := bufio.NewReaderSize(strings.NewReader(string(stream)), 16)
		for i, part := range parts {
			raw, large, err := readRaw(raws, max)
			switch {
			case err != nil:
				t.Fatalf("message %d of %d: %v", i, len(parts), err)
			case large != (len(part) > max):
				t.Fatalf("%q is too large: %v", part, large)
			case !large && string(raw) != part, large && !strings.HasPrefix(part, string(raw)), len(raw) > maxHead:
				t.Fatalf("read %q of %q", raw, part)
			}
			idOf(raw)
		}
		if _, _, err := readRaw(raws, max); err == nil {
			t.Fatal("one message too many")
		}
		messages := bufio.NewReader(strings.NewReader(string(stream)))
		for range parts {
			need.OK(t, need.Err(readMessage(messages)))
		}
	})
}

func TestIDOf(t *testing.T) {
	for head, want := range map[string]int64{
		`{"id":12,"result":{`: 12, `{"id":12`: 12, `{"id":`: 0, `{"id":-1,`: 0, `{"method":"a"`: 0, "": 0, `{"id":x`: 0,
	} {
		if got := idOf([]byte(head)); got != want {
			t.Errorf("%s: %d, want %d", head, got, want)
		}
	}
	if got := fmt.Sprint(idOf([]byte(`{"id":99999999999999999999999`))); got != "9223372036854775807" {
		t.Error(got) // nobody waits for it
	}
}
