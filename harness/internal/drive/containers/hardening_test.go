package containers

import (
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/internal/need"
)

// What a process in a container is and may do, as it sees it itself.
func TestHardening(t *testing.T) {
	needEngine(t)
	s := started(t, newLauncher(t, options(t)))

	// See proc_pid_status(5): ids, no capability to have or to get, no way to
	// get more by running something, system calls filtered.
	status := call(t, s, "read", "/proc/self/status", 0).Text()
	for _, want := range []string{
		`Uid:\s10001\s10001\s`, `Gid:\s10001\s10001\s`, `CapEff:\s0{16}\n`, `CapPrm:\s0{16}\n`, `CapBnd:\s0{16}\n`,
		`NoNewPrivs:\s1\n`, `Seccomp:\s2\n`,
	} {
		if !regexp.MustCompile(want).MatchString(status) {
			t.Errorf("/proc/self/status has no %s:\n%s", want, status)
		}
	}
	if got := call(t, s, "read", "/proc/1/comm", 0).Text(); !strings.Contains(got, "init") && !strings.Contains(got, "tini") {
		t.Errorf("process 1 is %q, want an init", got)
	}
	for path, writable := range map[string]bool{
		"/new": false, "/etc/hosts": false, "/tmp/new": true, "/dev/shm/new": true,
		"/proc/1/fd/1": false, // our pipe to Chromium
	} {
		if r := call(t, s, "write", path, 0); r.IsError() == writable {
			t.Errorf("write %s: %s; want it writable: %v", path, r.Text(), writable)
		}
	}
	for _, path := range []string{"/var/run/docker.sock", "/run/docker.sock"} {
		if r := call(t, s, "read", path, 0); !r.IsError() {
			t.Errorf("%s is in the container", path)
		}
	}
}

func TestLimits(t *testing.T) {
	e := needEngine(t)
	l := newLauncher(t, options(t))
	s := started(t, l).(*boxSession)
	for _, c := range []*process{s.web, s.box} {
		i, err := e.api.ContainerInspect(t.Context(), c.id, client.ContainerInspectOptions{})
		need.OK(t, err)
		h := i.Container.HostConfig
		if h.Memory == 0 || h.MemorySwap != h.Memory || h.PidsLimit == nil || *h.PidsLimit != maxProcesses {
			t.Errorf("%s: memory %d, with swap %d, processes %v: want limits", i.Container.Name, h.Memory, h.MemorySwap, h.PidsLimit)
		}
		if len(h.Binds) > 0 || len(h.PortBindings) > 0 || h.PublishAllPorts || h.Privileged {
			t.Errorf("%s: binds %v, ports %v: want none", i.Container.Name, h.Binds, h.PortBindings)
		}
		for _, m := range i.Container.Mounts {
			if m.Type == "bind" {
				t.Errorf("%s: %s of the host is mounted", i.Container.Name, m.Source)
			}
		}
		if h.LogConfig.Type != "none" || !h.AutoRemove {
			t.Errorf("%s: log driver %s, auto-remove %v", i.Container.Name, h.LogConfig.Type, h.AutoRemove)
		}
		if n := i.Container.NetworkSettings.Networks; len(n) != 1 || n[l.(*launcher).network] == nil {
			t.Errorf("%s: networks %v, want the run's alone", i.Container.Name, n)
		}
	}
}

// The ways out of the network, tried by a process that knows them.
func TestNoWayOut(t *testing.T) {
	e := needEngine(t)
	// A service of the host on all its addresses, for which an internal
	// network is no obstacle as such.
	host, err := net.Listen("tcp", ":0")
	need.OK(t, err)
	defer host.Close()
	_, port, _ := net.SplitHostPort(host.Addr().String())

	l := newLauncher(t, options(t))
	s := started(t, l)
	n, err := e.api.NetworkInspect(t.Context(), l.(*launcher).network, client.NetworkInspectOptions{})
	need.OK(t, err)
	gateway := n.Network.IPAM.Config[0].Gateway.String()
	bridge, err := e.api.NetworkInspect(t.Context(), "bridge", client.NetworkInspectOptions{})
	need.OK(t, err)
	if r := call(t, s, "resolve", "web-1", 0); r.IsError() {
		t.Errorf("the fixture web does not resolve: %s", r.Text())
	}
	for _, name := range []string{"example.com", "example.org", "host.docker.internal"} {
		if r := call(t, s, "resolve", name, 0); !r.IsError() {
			t.Errorf("%s resolves to %s", name, r.Text())
		}
	}
	for _, to := range []string{
		"tcp/" + net.JoinHostPort(gateway, port),
		"tcp/" + net.JoinHostPort(bridge.Network.IPAM.Config[0].Gateway.String(), port),
		"tcp/1.1.1.1:443", "tcp/[2606:4700:4700::1111]:443",
	} {
		if r := call(t, s, "dial", to, 0); !r.IsError() {
			t.Errorf("%s: %s", to, r.Text())
		}
	}
}
