//go:build mage

// Benchmark an adapter of this module.
package main

import (
	"example.com/outside/reader"
	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/adapter"

	// mage:import
	_ "github.com/openchrome/bench/harness/targets"
)

func init() {
	adapter.Register(reader.Kind)
	adapter.Register(reader.Agent)
	harness.Main()
}
