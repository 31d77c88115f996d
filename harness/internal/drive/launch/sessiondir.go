package launch

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/text/regular"
	"github.com/openchrome/bench/harness/internal/web"
)

// The folders in a session's folder.
func profileOf(dir string) string { return filepath.Join(dir, "profile") }
func tmpOf(dir string) string     { return filepath.Join(dir, "t") }

// MakeSessionDir makes the folders that [CleanEnv] names.
func MakeSessionDir(dir string) error {
	return errors.Join(os.Mkdir(session.HomeOf(dir), 0o700), os.Mkdir(tmpOf(dir), 0o700))
}

// putFiles writes the files of a task into the home of the session in dir, and returns their
// paths.
func putFiles(dir string, files map[string][]byte) (map[string]string, error) {
	in := filepath.Join(filepath.Base(session.HomeOf(dir)), adapter.FilesDir)
	paths := make(map[string]string)
	for name, data := range files {
		if err := regular.WriteFile(dir, filepath.Join(in, name), data); err != nil {
			return nil, err
		}
		paths[name] = filepath.Join(dir, in, name)
	}
	return paths, nil
}

// CleanEnv returns the environment for programs of the session in dir. Their home and their
// temporary files are in dir. It keeps only those variables of the user that are needed to
// find and start programs.
func CleanEnv(dir string) []string {
	env := []string{
		"HOME=" + session.HomeOf(dir), "USERPROFILE=" + session.HomeOf(dir),
		"TMPDIR=" + tmpOf(dir), "TEMP=" + tmpOf(dir), "TMP=" + tmpOf(dir),
		"LANG=C.UTF-8", "LANGUAGE=en_US", "TZ=UTC",
	}
	return append(env, lookUp("PATH", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT")...)
}

// proxyEnv names the proxy of the live web. The fixture hosts bypass it.
func proxyEnv(set *web.Set) []string {
	env := lookUp("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
	direct := cmp.Or(os.Getenv("no_proxy"), os.Getenv("NO_PROXY"))
	if set != nil {
		direct = strings.Trim(direct+","+strings.Join(set.Hosts(), ","), ",")
	}
	return append(env, "no_proxy="+direct, "NO_PROXY="+direct)
}

func lookUp(names ...string) []string {
	var env []string
	for _, name := range names {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
