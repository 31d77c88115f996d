// Package jsonfile reads JSON with positions and exact text: files that people
// write, contracts, and facts of pages.
//
//  1. [New] and [Read] are for files that a person wrote, [Loose] for files that a program
//     wrote.
//  2. [File.Value] (one value) or [File.Lines] (one value per line) makes trees of
//     [Node] in one pass. Nodes have their place, the order of keys, and texts
//     and numbers as JavaScript has them. Syntax errors, duplicate keys, invalid
//     UTF-8, lone surrogates, a byte order mark, data after the end and too deep
//     nesting become faults; a loose file accepts everything that JSON.parse accepts.
//  3. [File.Fields], [File.Text], [File.Int] and the like read a tree: unknown
//     and missing fields, keys in another case and wrong types become faults.
//  4. [File.Faults] has every [Fault] of the file, each at its line and column.
//
// A syntax error is a fault at the first byte that is not allowed there. It ends the reading of
// the value. What stands before it is kept, so that its faults are reported too.
// Messages escape text from the file.
package jsonfile
