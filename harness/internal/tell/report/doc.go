// Package report describes the result of a run. A report is a pure function of an
// event log: [Fold] reads events and gives a [Report], today or years later,
// without a browser, and always with the same bytes.
//
//  1. [Fold.Add] takes the events of a log in order and makes an [Episode] of
//     each episode's events (fold.go, episode.go).
//  2. [Fold.Report] sorts the episodes and adds them up (totals.go, figures.go, policies.go).
//  3. [Canonical] is the report without the fields that may differ between two
//     runs that did the same: canonical.go lists these fields, package normal has
//     the rules for events and answers. The digest is the hash of this form.
//
// The package runs nothing and judges nothing: verdicts are in the log. Package why says
// why an episode failed, and package format writes a report as files.
package report
