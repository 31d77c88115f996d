package display_test

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func TestCommand(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"go run mage.go", "doctor"}, "go run mage.go doctor"},
		{[]string{"mage", "report:show", "", "-episode=a-b#1"}, "mage report:show '-episode=a-b#1'"},
		{[]string{"-out=/tmp/my runs"}, "'-out=/tmp/my runs'"},
		{[]string{"$(x)", "a'b", "#1", "~", "*"}, `'$(x)' 'a'\''b' '#1' '~' '*'`},
		{[]string{display.Setting("out", ".", "."), display.Setting("out", "", "."), display.Setting("out", "x", ".")}, "-out=x"},
	}
	display.Program = "go run mage.go"
	defer func() { display.Program = "mage" }()
	for _, tt := range tests {
		need.Is(t, "", tt.want, display.Command(tt.args...))
	}
}
