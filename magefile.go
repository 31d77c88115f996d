//go:build mage

// Benchmark whole browser tasks on OpenChrome: task file -> fresh browser -> bounded steps -> verdict -> report.
//
// Options are -name=value after the target; `mage -h <target>` explains them.
package main

import (
	"context"

	"github.com/openchrome/bench/harness"

	// mage:import
	_ "github.com/openchrome/bench/harness/targets"
)

func init() { harness.Main() }

// Test checks the project: gofmt, go vet and all tests, with the race detector where a C compiler is there.
func Test(ctx context.Context) error { return harness.Test(ctx, harness.Options{}) }
