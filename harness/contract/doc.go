// Package contract decides whether a page reached what a task asks for. It
// speaks OpenChrome's Outcome Contract DSL.
//
//  1. [Parse] validates a contract the way OpenChrome's own validator does.
//  2. [Contract.Needs] says which facts must be read off the page for it.
//  3. [Judge] weighs those [Facts] and answers with evidence and a verdict.
//  4. [Explain] and [FirstFailing] tell a person why.
//
// The package is pure: it opens no browser and no connection. The one thing it
// reads is the folder of a screenshot class, through package phash.
package contract
