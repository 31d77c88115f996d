//go:build !unix

package eventlog

import "os"

// lock does nothing: a lock of Windows would also keep readers away.
func lock(*os.File) error { return nil }
