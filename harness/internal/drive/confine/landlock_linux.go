package confine

import (
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

const (
	readFile  = ll.AccessFSExecute | ll.AccessFSReadFile
	read      = readFile | ll.AccessFSReadDir
	writeFile = ll.AccessFSWriteFile | ll.AccessFSTruncate
	write     = writeFile | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer
	// These rights are denied everywhere. Programs may still use the sockets that they make.
	never = ll.AccessFSMakeChar | ll.AccessFSMakeBlock | ll.AccessFSIoctlDev | ll.AccessFSResolveUnix
)

// restrict applies the orders to all threads of this process and to the command that it becomes,
// as far as this kernel's Landlock can.
func (o *orders) restrict() error {
	sets := []any{
		landlock.AccessFSSet(read | write | never),
		landlock.ScopedSet(ll.ScopeAbstractUnixSocket | ll.ScopeSignal),
	}
	var rules []landlock.Rule
	allow := func(access landlock.AccessFSSet, path string) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			access &= readFile | writeFile
		}
		rules = append(rules, landlock.PathAccess(access, path).IgnoreIfMissing())
	}
	for _, path := range o.Read {
		allow(read, path)
	}
	for _, path := range o.Write {
		allow(read|write, path)
	}
	for _, path := range devices {
		allow(read|writeFile, path)
	}
	if procIsWritable() {
		allow(read|writeFile, "/proc")
	} else {
		allow(read, "/proc")
	}
	if o.Connect != nil {
		sets = append(sets, landlock.AccessNetSet(ll.AccessNetConnectTCP))
		for _, port := range o.Connect {
			rules = append(rules, landlock.ConnectTCP(port))
		}
	}
	config, err := landlock.NewConfig(sets...)
	if err != nil {
		return err
	}
	return config.BestEffort().Restrict(rules...)
}
