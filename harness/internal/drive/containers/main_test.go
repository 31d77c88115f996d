package containers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// testServer is the MCP server that most tests run in the place of OpenChrome.
const testServer = "./harness/internal/drive/containers/testdata/server"

// unguarded, in the environment, makes a victim that has no watchdog.
const unguarded = "OPENCHROME_BENCH_TEST_UNGUARDED"

func TestMain(m *testing.M) {
	if os.Getenv(unguarded) == "" {
		watchdog.Main()
	}
	if os.Getenv(victimEnv) != "" {
		victim()
	}
	os.Exit(m.Run())
}

// needEngine returns one. The test is skipped with -short.
func needEngine(t testing.TB) *engine {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a Docker engine, so only mage testAll runs it")
	}
	e, err := connect(t.Context())
	if err != nil {
		need.Missing(t, fmt.Sprint("needs a Docker engine (.ci/docker.sh start): ", err))
	}
	t.Cleanup(e.close)
	return e
}

// realPackage is the folder of the OpenChrome that OPENCHROME_DIST names.
func realPackage(t testing.TB) string {
	t.Helper()
	dist := need.OpenChrome(t)
	return filepath.Dir(filepath.Dir(dist))
}

// options are those of a launcher of the test server on the built-in sites and
// those in testdata.
func options(t testing.TB) Options {
	t.Helper()
	set, err := web.Open("testdata/sites")
	need.OK(t, err)
	ca, err := serve.NewCA(set.Hosts()...)
	need.OK(t, err)
	return Options{BuildOptions: BuildOptions{Server: testServer, Progress: t.Output()}, Sites: set, CA: ca}
}

func newLauncher(t testing.TB, o Options) session.Launcher {
	t.Helper()
	l, err := New(t.Context(), o)
	need.OK(t, err)
	t.Cleanup(func() {
		need.OK(t, l.Close())
	})
	return l
}

func started(t testing.TB, l session.Launcher) session.Session {
	t.Helper()
	ctx := need.Within(t, session.LaunchTimeout)
	s, err := l.Launch(ctx)
	need.OK(t, err)
	t.Cleanup(func() {
		need.OK(t, s.Close())
	})
	return s
}

// runIn runs a program in the container of Chromium, as a user, and waits for its end.
func runIn(t testing.TB, s *boxSession, user string, args ...string) {
	t.Helper()
	x, err := s.box.run(t.Context(), user, args...)
	need.OK(t, err)
	if end, err := x.wait(); err != nil || end.Running || end.ExitCode != 0 {
		t.Fatalf("%q: %+v, %v: %s", args, end, err, x.LastLine())
	}
}

// call calls a tool of the test server.
func call(t testing.TB, s session.Session, tool, text string, n int) adapter.Result {
	t.Helper()
	r, err := s.Call(t.Context(), toolCall(tool, text, n))
	if err != nil {
		t.Errorf("%s %s: %v", tool, text, err)
	}
	return r
}

func toolCall(tool, text string, n int) adapter.Call {
	q, _ := json.Marshal(text)
	return adapter.Call{Tool: tool, Args: fmt.Appendf(nil, `{"text":%s,"n":%d}`, q, n)}
}

// browse opens a page and evaluates an expression there.
func browse(t testing.TB, s session.Session, url, expression string) string {
	t.Helper()
	do := func(tool string, args map[string]string) adapter.Result {
		raw, _ := json.Marshal(args)
		r, err := s.Call(t.Context(), adapter.Call{Tool: tool, Args: raw})
		need.OK(t, err)
		if r.IsError() {
			t.Fatalf("%s %s: %s", tool, raw, r.Text())
		}
		return r
	}
	var page struct{ TabID string }
	do("navigate", map[string]string{"url": url}).JSON(&page)
	return do("javascript_tool", map[string]string{"tabId": page.TabID, "code": expression}).Text()
}

// buildImages builds the images as a launcher does.
func buildImages(ctx context.Context, o BuildOptions) (Images, error) {
	e, err := connect(ctx)
	if err != nil {
		return Images{}, err
	}
	defer e.close()
	return e.build(ctx, o)
}
