// Package jsregexp matches JavaScript regular expressions written without
// flags, as new RegExp(source) of Node 20 understands them: ECMAScript with
// Annex B, over UTF-16 code units.
//
//  1. [Parse] checks the source against the ECMAScript grammar; a refusal
//     carries V8's words. The source is rewritten on the way into the plain
//     part of github.com/dlclark/regexp2/v2's syntax: every literal as one
//     UTF-16 unit, named groups as numbered ones, Annex B's oddities resolved.
//  2. The rewritten source is compiled when it is first matched, and compiled
//     forms are kept in a small cache.
//  3. A [Matcher] runs it within a [Budget] of time that several patterns share.
//
// Strings are WTF-8: UTF-8 in which a lone surrogate may stand as its three
// bytes. [Units] turns them into UTF-16 code units.
package jsregexp
