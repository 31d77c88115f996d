package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
)

// startLocal runs Local on a free port until the test ends and returns
// the port.
func startLocal(t *testing.T, s *web.Set) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Local(ctx, s, in, []Start{{"one", "https://shop.test/cart?a=b"}})
		in.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Local: %v, want nil when its context ends", err)
		}
	})
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	start, err2 := lines.ReadString('\n')
	need.OK(t, errors.Join(err, err2))
	m := regexp.MustCompile(`^http://localhost:(\d+)/ lists \d+ sites\. Ctrl-C stops\.\n$`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("it says %q", line)
	}
	need.Is(t, "it says", "one begins at http://shop.test.localhost:"+m[1]+"/cart?a=b\n", start)
	return m[1]
}

func TestLocal(t *testing.T) {
	port := startLocal(t, open(t, folder(t, map[string]string{
		"mine.test/links.html": `<a href="https://shop.test/cart">1</a> <a href="http://shop.test">2</a> <a href="https://shop.test.evil/">3</a> https://shop.test/`,
		"mine.test/routes.json": `[{"path": "/out", "location": "https://shop.test/cart?a=b"}, {"path": "/away", "location": "https://other.test/"},
			{"path": "/links", "when": {"first": 1}, "status": 503}]`,
	})))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	local := func(host string) string { return fmt.Sprintf("http://%s.localhost:%s", host, port) }
	for _, c := range []struct {
		method, host, path string
		status             int
		says               string // in the body, or the whole Location
	}{
		{"GET", "localhost", "/", 200, fmt.Sprintf(`<li><a href="%s/">example.com</a></li>`, local("example.com"))},
		{"GET", "localhost", "/none", 404, "lists the sites"},
		{"GET", "localhost", "/start-over", 404, "lists the sites"},
		{"GET", "other.test.localhost", "/x", 404, "lists the sites"},
		{"GET", "example.com.localhost", "/", 200, "<h1>Example Domain</h1>"},
		{"GET", "mine.test.localhost", "/links", 503, "503 Service Unavailable"},
		{"GET", "mine.test.localhost", "/links", 200, fmt.Sprintf(`<a href="%s/cart">1</a> <a href="%s">2</a> <a href="https://shop.test.evil/">3</a> https://shop.test/`, local("shop.test"), local("shop.test"))},
		{"GET", "mine.test.localhost", "/out", 303, local("shop.test") + "/cart?a=b"},
		{"GET", "mine.test.localhost", "/away", 303, "https://other.test/"},
		{"POST", "localhost", "/start-over", 303, "/"},
		{"GET", "mine.test.localhost", "/links", 503, "503 Service Unavailable"},
	} {
		r, err := http.NewRequest(c.method, "http://127.0.0.1:"+port+c.path, nil)
		need.OK(t, err)
		r.Host = c.host + ":" + port
		res, err := client.Do(r)
		need.OK(t, err)
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		ok := strings.Contains(string(body), c.says)
		if loc := res.Header.Get("Location"); loc != "" {
			ok = loc == c.says
		}
		if res.StatusCode != c.status || !ok {
			t.Errorf("%s %s%s = %d Location %q\n%s\nwant %d with %s", c.method, c.host, c.path, res.StatusCode, res.Header.Get("Location"), body, c.status, c.says)
		}
	}
}
