//go:build unix

package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// scriptEnv names the scripted agent that this binary is.
const scriptEnv = "TEST_AGENT"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		os.Exit(play(os.Getenv(scriptEnv)))
	}
	watchdog.Main()
	os.Exit(m.Run())
}

// client is an agent's side of the endpoint.
type client struct{ url, token string }

func fromEnv() client {
	return client{os.Getenv("OPENCHROME_BENCH_MCP_URL"), os.Getenv("OPENCHROME_BENCH_MCP_TOKEN")}
}

// post sends a body, and returns the status and the answer.
func (c client) post(body string, headers ...string) (int, string, error) {
	r, err := http.NewRequest(http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// ask sends a request and returns its answer.
func (c client) ask(method, params string) string {
	_, text, err := c.post(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`)
	if err != nil {
		return err.Error()
	}
	return text
}

func (c client) call(tool string) string {
	return c.ask("tools/call", `{"name":"`+tool+`","arguments":{}}`)
}

// play is a scripted agent. It returns its exit code.
func play(script string) int {
	c := fromEnv()
	name, rest, _ := strings.Cut(script, " ")
	switch name {
	case "prints":
		fmt.Println(rest)
		return 3
	case "sleeps": // and does not know MCP
		time.Sleep(time.Hour)
	case "unlisted":
		fmt.Println(c.call("read"))
		return 0
	}
	c.ask("tools/list", "{}")
	switch name {
	case "lists":
		return 0
	case "thinks":
		time.Sleep(time.Hour)
	case "exits":
		c.call("read")
		fmt.Println("one\ntwo")
		fmt.Fprintln(os.Stderr, "three\x1b[31m")
		var code int
		fmt.Sscan(rest, &code)
		return code
	case "tells":
		c.call("read")
		os.WriteFile(os.Getenv("OPENCHROME_BENCH_AGENT_RESULT"), []byte(rest), 0o600)
	case "looks": // into what it got
		c.call("read")
		var text bytes.Buffer
		for _, name := range []string{"MCP_CONFIG", "PROMPT_FILE"} {
			raw, err := os.ReadFile(os.Getenv("OPENCHROME_BENCH_" + name))
			fmt.Fprintln(&text, string(raw), err)
		}
		here, _ := os.Getwd()
		fmt.Fprintln(&text, "in", here, "home", os.Getenv("HOME"), "secret", os.Getenv("TEST_KEY"), "other", os.Getenv("TEST_OTHER"))
		fmt.Print(text.String())
	case "deaf": // ignores SIGINT, and has a child of another session that does so too
		signal.Ignore(syscall.SIGINT)
		if rest == "" {
			self, _ := os.Executable()
			child := exec.Command(self, "agent")
			child.Env = append(os.Environ(), scriptEnv+"=deaf child")
			child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			child.Start()
			c.call("read")
		}
		time.Sleep(time.Hour)
	case "polite": // ends at SIGINT
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, syscall.SIGINT)
		c.call("read")
		<-interrupted
		fmt.Println("interrupted")
		return 1
	case "late":
		for {
			if strings.Contains(c.call("read"), "The episode is over") {
				break
			}
		}
		var calls sync.WaitGroup
		for range 99 {
			calls.Go(func() { c.call("read") })
		}
		calls.Wait()
	case "fills": // its folder, and ends or waits
		c.call("read")
		os.WriteFile("large", make([]byte, 80<<20), 0o600)
		if rest == "and waits" {
			time.Sleep(time.Hour)
		}
	case "tries": // the ways out of its confinement; each that works is a word
		c.call("read")
		var ways []string
		json.Unmarshal([]byte(rest), &ways)
		for _, way := range ways {
			fmt.Printf("%s: %v\n", way, try(way))
		}
	}
	return 0
}
