// Package task reads task files.
//
//  1. [Load] reads the folders of tasks. It tells every fault of every file at
//     once, each at its line and column, or returns a [Spec] for each task.
//  2. [Select] picks the ones that were asked for.
//  3. [Spec.Check] is the runner's own look at the caps.
//
// The format is described in fixtures/README.md and, for editors, in
// fixtures/task.schema.json. A task is data: what an adapter reads beside it
// is checked by the adapter, through [Options].
package task
