// Package jsonfile reads JSON with positions and exact text: files that people
// write, contracts, and facts of pages.
//
//  1. [New] or [Read] takes a file that a person wrote, [Loose] one that a program
//     wrote.
//  2. [File.Value] (one value) or [File.Lines] (a value a line) makes trees of
//     [Node] in one pass. Nodes know their place, the order of keys, and text
//     and numbers as JavaScript has them. Syntax errors, duplicate keys, invalid
//     UTF-8, lone surrogates, a byte order mark, data after the end and too deep
//     nesting become faults; a loose file accepts all that JSON.parse accepts.
//  3. [File.Fields], [File.Text], [File.Int] and the like read a tree: unknown
//     and missing fields, keys in another case and wrong types become faults.
//  4. [File.Faults] has every [Fault] of the file, each at its line and column.
//
// A syntax error is a fault at the first byte that is not allowed there. The
// values before it are kept, so that their faults are reported too; the text
// after it is not read. Text from the file is escaped in messages.
package jsonfile
