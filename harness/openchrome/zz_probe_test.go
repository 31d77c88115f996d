package openchrome

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/sites"
)

// Scratch: PROBE names a file with calls, one JSON a line: ["tool", {args}].
func TestZZProbe(t *testing.T) {
	if os.Getenv("PROBE") == "" {
		t.Skip()
	}
	set, err := sites.Open("/root/x/web/sites")
	if err != nil {
		t.Fatal(err)
	}
	ca, err := sites.NewCA(set.Hosts()...)
	if err != nil {
		t.Fatal(err)
	}
	var l Launcher
	if os.Getenv("PROBE_ON") == "standin" {
		l, _ = NewStandin(StandinOptions{Sites: set, CA: ca})
	} else if l, err = NewLocal(t.Context(), LocalOptions{Package: os.Getenv(distEnv), Sites: set, CA: ca}); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := launch(t, l)
	data, _ := os.ReadFile(os.Getenv("PROBE"))
	var tabs []string
	saved := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		for name, v := range saved {
			line = strings.ReplaceAll(line, "$"+name, v)
		}
		for i, tab := range tabs {
			line = strings.ReplaceAll(line, fmt.Sprintf("TAB%d", i+1), tab)
		}
		var c []json.RawMessage
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(line, err)
		}
		var tool string
		json.Unmarshal(c[0], &tool)
		r, err := s.Call(t.Context(), event.Call{Tool: tool, Args: c[1]})
		text := r.Text()
		if len(c) > 2 {
			var save map[string]string
			json.Unmarshal(c[2], &save)
			for name, p := range save {
				if m := regexp.MustCompile(p).FindStringSubmatch(text); m != nil {
					saved[name] = m[1]
				} else {
					fmt.Println("NOT SAVED", name)
				}
			}
		}
		for _, id := range tabIDs(text) {
			known := false
			for _, tab := range tabs {
				known = known || tab == id
			}
			if !known {
				tabs = append(tabs, id)
			}
		}
		for i, tab := range tabs {
			text = strings.ReplaceAll(text, tab, fmt.Sprintf("TAB%d", i+1))
		}
		fmt.Printf(">>> %s", line)
		fmt.Printf("<<< err=%v isError=%v %s\n", err, r.IsError(), text)
		if w := s.Observer(); w != nil && os.Getenv("PROBE_TABS") != "" {
			fmt.Println("    observer open:", w.Open())
		}
	}
}

func tabIDs(text string) (out []string) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789ABCDEF", r) }) {
		if len(w) == 32 {
			out = append(out, w)
		}
	}
	return out
}
