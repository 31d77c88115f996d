// Package harness puts the parts together for the targets of the magefile: each
// exported function is one target. It holds wiring, not rules: what a task is
// stands in package task, what an episode does in package episode, what a
// report says in package report.
//
//	options -> tasks, sites -> launcher -> episodes -> event log -> report
package harness
