package containers

import (
	"encoding/base64"
	"strings"

	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/sites"
)

// The ports of the fixture web, which an unprivileged user may listen on.
const (
	httpPort  = "8080"
	httpsPort = "8443"
)

// alias is the name of session n's fixture web on the network.
func alias(n string) string { return "web-" + n }

// forOpenChrome adds the environment that containers/openchrome/entrypoint reads.
func (l *launcher) forOpenChrome(p *program, n string) {
	p.tmpfs = map[string]string{
		"/tmp":        "rw,nosuid,nodev,size=512m,mode=1777",
		"/home/bench": "rw,nosuid,nodev,size=512m,mode=0700,uid=10001,gid=10001",
	}
	p.env = map[string]string{
		"OPENCHROME_BENCH_CA":    base64.StdEncoding.EncodeToString(l.o.CA.DER()),
		"OPENCHROME_BENCH_RULES": openchrome.HostRules(l.o.Sites.Hosts(), alias(n)+":"+httpPort, alias(n)+":"+httpsPort, l.o.LiveWeb),
	}
}

// caFile is the path of the CA's file in a server's container.
const caFile = "/run/openchrome-bench/ca.pem"

// forServer adds the environment by which any MCP server finds its web, as with
// the command launcher.
func (l *launcher) forServer(p *program, n string) {
	p.tmpfs = map[string]string{"/tmp": "rw,nosuid,nodev,size=64m,mode=1777"}
	p.file, p.content = caFile, l.o.CA.PEM()
	p.env = map[string]string{
		sites.HTTPEnv:  alias(n) + ":" + httpPort,
		sites.HTTPSEnv: alias(n) + ":" + httpsPort,
		sites.CAEnv:    caFile,
		sites.HostsEnv: strings.Join(l.o.Sites.Hosts(), ","),
	}
}
