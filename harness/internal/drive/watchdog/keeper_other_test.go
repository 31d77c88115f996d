//go:build unix && !linux

package watchdog

func startDaemon() {}
