package agent

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/session"
)

// find finds the program of a command line.
func (a *Agent) find(line string) error {
	path, args, err := session.FindCommand(line, "")
	if err != nil {
		return fmt.Errorf("agent: %w; write the command line of the agent, such as -adapter='agent:python3 agent.py'", err)
	}
	a.name, a.command = filepath.Base(path), append([]string{path}, args[1:]...)
	return nil
}

// interpreter returns the program that the first line of a script names; empty if there is none.
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	first, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	rest, ok := bytes.CutPrefix(first, []byte("#!"))
	words := strings.Fields(string(rest))
	if !ok || len(words) == 0 {
		return ""
	}
	if filepath.Base(words[0]) != "env" {
		return words[0]
	}
	for _, word := range words[1:] {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			found, _ := exec.LookPath(word)
			return found
		}
	}
	return ""
}
