// Package servers holds the descriptions of the servers that the harness knows: a JSON file for
// each. README.md says how to add one.
package servers

import "embed"

// FS has the descriptions at its root.
//
//go:embed *.json
var FS embed.FS

// Schema is the name of the JSON Schema of the descriptions, which is among them.
const Schema = "server.schema.json"
