// Package first makes each command start faster. Before main, testcontainers-go v0.44.0 reads
// all processes of the machine, to name a session of tests that we do not have. In a HOST_PROC
// that does not exist it finds none. Go initialises packages in the order of their import
// paths, if their imports allow it: so this package comes before testcontainers-go.
package first

import "os"

const hostProc = "HOST_PROC"

var value, isSet = os.LookupEnv(hostProc)

func init() {
	// These copies of the program do their work in an init, and pass on the environment.
	if os.Getenv("OPENCHROME_BENCH_KEEPER")+os.Getenv("OPENCHROME_BENCH_CONFINE") == "" {
		os.Setenv(hostProc, os.DevNull)
	}
}

// Restore gives HOST_PROC its value back. The importer of testcontainers-go calls it in its
// own init, which comes later.
func Restore() {
	if isSet {
		os.Setenv(hostProc, value)
	} else {
		os.Unsetenv(hostProc)
	}
}
