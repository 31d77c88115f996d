package facts

import (
	"os"
	"path/filepath"
)

// ClassesDir returns the root of screenshot classes. It finds the same folder as OpenChrome
// does.
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
