// Package task reads task files.
//
//  1. [Load] reads the folders of tasks. It reports every fault of every file
//     at its line and column, or returns a [Spec] for each task.
//  2. [Select] picks the requested tasks.
//  3. [Spec.Check] lets the runner check the caps again.
//
// The format is described in fixtures/README.md and, for editors, in
// fixtures/task.schema.json. An adapter checks its own file in the task's folder, through
// [Options].
package task
