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

// Test checks this project: gofmt, go vet, staticcheck and all tests.
func Test(ctx context.Context) error { return harness.Test(ctx, harness.Streams{}) }
