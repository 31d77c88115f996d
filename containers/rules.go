package containers

import "strings"

// The ports that the fixture web listens on: an unprivileged user has no lower
// ones. See sites.ServeRemote.
const (
	httpPort  = "8080"
	httpsPort = "8443"
)

// rules is the value of Chromium's --host-resolver-rules by which the hosts
// are the fixture web at addr, port by port, and no other name or address
// leads anywhere, unless live says so.
func rules(hosts []string, addr string, live bool) string {
	var r []string
	for _, h := range hosts {
		r = append(r, "MAP "+h+":80 "+addr+":"+httpPort, "MAP "+h+":443 "+addr+":"+httpsPort)
	}
	if !live {
		r = append(r, "MAP * ~NOTFOUND")
	}
	return strings.Join(r, ",")
}
