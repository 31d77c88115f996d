// Package jsregexp matches JavaScript regular expressions written without flags, as
// new RegExp(source) of Node 20 understands them: ECMAScript with Annex B, over UTF-16 code
// units. The engine is github.com/dlclark/regexp2; see ../testdata/regexp.jsonl for what Node
// answers.
//
// Strings are WTF-8: UTF-8 in which a lone surrogate may stand as its three bytes.
package jsregexp
