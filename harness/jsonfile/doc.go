// Package jsonfile reads JSON that people write, strictly: it tells every
// [Fault] of a file at once, each at its line and column.
//
//  1. [New] or [Read] takes the bytes of a file.
//  2. [File.Value] (one value) or [File.Lines] (a value a line) makes trees of
//     [Node], which know where they stand, in one pass. Syntax errors,
//     duplicate keys, invalid UTF-8, lone surrogates, a byte order mark, data
//     after the end and too deep nesting become faults.
//  3. [File.Fields], [File.Text], [File.Int] and the like read a tree: unknown
//     and missing fields, keys in another case and wrong types become faults.
//  4. [File.Faults] has them all.
//
// A syntax error is a fault at the first byte that cannot stand where it
// stands. What was read before it is kept, so that its faults are told too;
// what comes after it cannot be read. Text from the file is escaped in
// messages.
package jsonfile
