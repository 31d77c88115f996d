// Package jsregexp matches JavaScript regular expressions written without
// flags, as new RegExp(source) of Node 20 understands them: ECMAScript with
// Annex B, over UTF-16 code units.
//
// A match is bounded by steps, not by time; see [Budget]. So a pattern that would backtrack
// forever stops soon, and a busy machine cannot change a verdict. No library offers this:
// github.com/dlclark/regexp2 can stop a match only by the clock, and its ECMAScript mode
// accepts different patterns from Node.
//
//   - regexp.go has the exported functions: [Parse], [Regexp.Match] and [Budget].
//   - parse.go checks the source as V8's parser does, reports faults in V8's
//     words, and builds the nodes.
//   - atom.go reads the parts of a group: escapes, classes and names.
//   - match.go holds the nodes: functions that match and backtrack.
//   - utf16.go turns strings into UTF-16 code units. Strings are WTF-8: UTF-8
//     in which a lone surrogate may stand as its three bytes.
package jsregexp
