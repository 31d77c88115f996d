package openchrome

import (
	"os"
	"path/filepath"
)

// ClassesDir is the root of screenshot classes, as OpenChrome finds it.
func ClassesDir() string {
	if dir := os.Getenv("OPENCHROME_SCREENSHOT_CLASSES_DIR"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".openchrome", "screenshot-classes")
}
