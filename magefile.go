//go:build mage

// Benchmark whole browser tasks on OpenChrome: task file -> fresh browser -> bounded steps -> verdict -> report.
//
// Options are -name=value after the target; `mage <target> -h` explains them.
package main

import (
	"context"

	"github.com/openchrome/bench/harness"

	// mage:import
	_ "github.com/openchrome/bench/harness/targets"
)

func init() { harness.Main("test", "testAll") }

// Test checks this project in a few minutes: gofmt, go vet, staticcheck, the unit tests and the
// end-to-end tests on the stand-in.
func Test(ctx context.Context) error { return harness.Test(ctx) }

// TestAll runs what test leaves out: the race detector, real browsers, containers, peers, other
// systems, kills, and the proof of all tasks.
func TestAll(ctx context.Context) error { return harness.TestAll(ctx) }
