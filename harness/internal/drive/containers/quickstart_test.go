package containers

import (
	"os"
	"testing"

	gopsutil "github.com/shirou/gopsutil/v4/process"
)

// After the start, children and measurements see the machine's own /proc.
func TestStartIsOver(t *testing.T) {
	if value, set := os.LookupEnv("HOST_PROC"); set && value == os.DevNull {
		t.Error("HOST_PROC is still set")
	}
	if _, err := gopsutil.NewProcess(int32(os.Getpid())); err != nil {
		t.Error(err)
	}
}
