package program_test

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/program"
)

func TestCommand(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"mage", "report:show", "", "-episode=a-b#1"}, "mage report:show '-episode=a-b#1'"},
		{[]string{"-out=/tmp/my runs"}, "'-out=/tmp/my runs'"},
		{[]string{"$(x)", "a'b", "#1", "~", "*"}, `'$(x)' 'a'\''b' '#1' '~' '*'`},
		{[]string{program.Setting("out", ".", "."), program.Setting("out", "", "."), program.Setting("out", "x", ".")}, "-out=x"},
	}
	for _, tt := range tests {
		if got := program.Command(tt.args...); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}
