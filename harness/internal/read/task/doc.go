// Package task reads task files.
//
//  1. [Open] finds the folders of tasks, and [Select] picks the requested ones.
//  2. [Folder.Read] returns the [Spec] of a task with the values of a seed, or every fault of
//     its files at its line and column. It can be called again for other seeds.
//  3. [Spec.Check] lets the runner check the caps again.
//
// The format is described in fixtures/README.md and, for editors, in
// fixtures/task.schema.json. Package transcript reads the transcripts in the same folder.
package task
