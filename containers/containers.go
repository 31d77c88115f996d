// Package containers embeds the recipes of our Docker images: a folder for each. Package docker
// builds them; README.md describes what the containers can do.
package containers

import "embed"

// Recipes holds a folder with a Dockerfile and its files for each image.
//
//go:embed openchrome static harness
var Recipes embed.FS
