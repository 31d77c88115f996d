//go:build !unix

package program

import "os"

// EndedBy returns "": this system has no signals.
func EndedBy(*os.ProcessState) string { return "" }
