// Package param draws the values of a task from a seed: names, prices, orders of rows. The
// task's goal, contract, transcripts and pages show the same values.
//
//  1. [Read] reads a params.json, which says how each value is drawn (spec.go, rules.go).
//  2. [Spec.Draw] draws the [Values] for a [Seed]. The same seed always gives the same
//     values, on every machine and with every version of Go (stream.go).
//  3. [Values.Fill] replaces the placeholders {{param.NAME}} in a JSON file (fill.go).
package param
