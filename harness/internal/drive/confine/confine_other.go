//go:build !linux

package confine

import (
	"net"
	"os/exec"
)

var system []string

func candidates() []Means { return nil }

func (Means) prepare(*exec.Cmd) {}

// Network is the network of a session's programs; here it is always the machine's own.
type Network struct{}

// NewNetwork returns nil.
func (Means) NewNetwork() (*Network, error) { return nil, nil }

// Listen listens on a free port of 127.0.0.1.
func (*Network) Listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

// Start starts cmd.
func (*Network) Start(cmd *exec.Cmd) error { return cmd.Start() }

// Forward does nothing.
func (*Network) Forward([]uint16) error { return nil }

// Close does nothing.
func (*Network) Close() error { return nil }
