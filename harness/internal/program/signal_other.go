//go:build !unix

package program

import "os"

func EndedBy(*os.ProcessState) string { return "" }
