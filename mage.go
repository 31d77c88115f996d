//go:build ignore

// Mage.go runs the targets of magefile.go without an installed mage:
//
//	go run mage.go <target>
package main

import (
	"os"

	"github.com/magefile/mage/mage"
)

func main() { os.Exit(mage.Main()) }
