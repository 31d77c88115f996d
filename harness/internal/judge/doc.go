// Package judge decides whether a page fulfils a task. It implements OpenChrome's
// Outcome Contract DSL.
//
//  1. [Read] reads a contract at its place in a file and reports all its faults;
//     [Parse] validates a contract as OpenChrome's own validator does.
//  2. [Contract.Needs] lists the facts that must be read from the page.
//  3. [Judge] judges the contract on these [evidence.Facts] and returns evidence and a verdict.
//  4. [Explain] and [FirstFailing] explain the verdict to a person.
//
// Each kind of assertion has a row in the table in kinds.go and its own file,
// such as dom_count.go: its fields, the fact that it measures, how it is read,
// judged and put into words. fixtures/task.schema.json has the same kinds and
// fields; a test of package task checks this.
//
// JSON is read by package jsonfile, once: contracts, facts and logged
// judgements are made from its nodes.
//
// The package opens no browser and no connection. It reads only the folder
// of a screenshot class, through package phash.
package judge
