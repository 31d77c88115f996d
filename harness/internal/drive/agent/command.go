package agent

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/session"
)

// find splits the command line into words, as a POSIX shell does, and finds the program. The
// agent runs in a folder of its own, so words that name files get their whole path.
func (a *Agent) find(line string) error {
	words, err := session.SplitCommand(line)
	if err != nil {
		return fmt.Errorf("agent: %w; write the command line of the agent, such as -adapter='agent:python3 agent.py'", err)
	}
	path, err := exec.LookPath(words[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fmt.Errorf("agent: %w; name a program on the PATH, or its path", err)
	}
	a.name, a.command = filepath.Base(path), []string{path}
	for _, word := range words[1:] {
		a.command = append(a.command, cmp.Or(session.NamedFile(word, ""), word))
	}
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
