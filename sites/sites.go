// Package sites embeds the built-in hosts of the fixture web: a folder for each. Package web
// reads and serves them; README.md describes the format.
package sites

import "embed"

// FS holds the folders of the hosts. The pattern names the files in them, because *.test would
// also match compiled tests.
//
//go:embed all:example.com all:*.test/*
var FS embed.FS
