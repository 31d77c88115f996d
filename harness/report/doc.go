// Package report tells what a run did. A report is a pure function of an event
// log: [Fold] reads events and gives a [Report], today or years later, without
// a browser, and always with the same bytes.
//
//  1. [Fold.Add] takes the events of a log in order and makes an [Episode] of
//     each episode's (fold.go, episode.go).
//  2. [Fold.Report] puts the episodes in order and counts them (report.go).
//  3. [Canonical] is the report without what may differ between two runs that
//     did the same: canonical.go holds the list of those volatile fields,
//     normalise.go the same for OpenChrome's answers. The digest is over it.
//  4. [Write] leaves the report as JSON, canonical JSON and Markdown (write.go,
//     markdown.go).
//  5. [Diff] names the first difference between two logs (diff.go).
//
// The package does not run anything and judges nothing: verdicts are in the log.
package report
