package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// chromiumNames lists the programs to look for on the PATH, in this order.
var chromiumNames = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge"}

// chromiumPaths lists the usual places of browsers that are not on the PATH.
var chromiumPaths = map[string][]string{
	"darwin": {
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	},
	"windows": {
		`C:\Program Files\Google\Chrome\Application\chrome.exe`,
		`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
		`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
	},
}

// findChromium returns the path of the browser that CHROME_PATH names, or of the first
// one that it finds if CHROME_PATH is not set.
func findChromium() (string, error) {
	if named := os.Getenv("CHROME_PATH"); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("CHROME_PATH: %s is not a program that can be run; correct it", named)
		}
		return path, nil
	}
	for _, name := range slices.Concat(chromiumNames, chromiumPaths[runtime.GOOS]) {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium found; install chromium or Google Chrome, or name one in CHROME_PATH")
}

// chromiumFlags returns the flags of a browser that resolves the fixture hosts, and other
// hosts only on the live web. With them the browser sends no requests by itself. Pages see
// the same language on every machine; [CleanEnv] sets the time zone.
func chromiumFlags(profile string, w *fixtureWeb, set *web.Set, ca *serve.CA) []string {
	flags := []string{
		"--remote-debugging-port=0", // a free port, for the server; a file in the profile names it
		"--user-data-dir=" + profile,
		"--headless=new",
		"--disable-infobars", // as root, an info bar on the first tab would make other tabs taller
		// Then Chromium 156 gives pages 1920x1080. The observer corrects it where a window has
		// another frame, but that is slow.
		"--window-size=1920,1167",
		"--lang=en-US",
		"--no-first-run",
		"--no-default-browser-check",
		"--no-pings",
		"--disable-auto-reload", // of a page that failed, seconds later
		"--disable-gpu",
		"--disable-dev-shm-usage",
		"--disable-breakpad",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-default-apps",
		"--disable-domain-reliability",
		"--disable-extensions",
		"--disable-sync",
		"--password-store=basic",
		"--use-mock-keychain",
		"--allow-browser-signin=false",
		"--gaia-url=http://127.0.0.1:9", // nothing answers there, and it needs no name resolution
		"--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,HttpsUpgrades," +
			"MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,Translate,WebUIOmniboxPopup",
	}
	if whyNoSandbox() != "" {
		flags = append(flags, "--no-sandbox")
	}
	var hosts []string
	var httpAddr, httpsAddr string
	if w.server != nil {
		hosts, httpAddr, httpsAddr = set.Hosts(), w.server.HTTPAddr(), w.server.HTTPSAddr()
		flags = append(flags, "--ignore-certificate-errors-spki-list="+ca.SPKI())
	}
	if !w.live {
		// WebRTC does not use the resolver. As there is no proxy, this flag prevents all
		// its UDP. (Chromium 156 ignores the longer --force-webrtc-ip-handling-policy.)
		flags = append(flags, "--no-proxy-server", "--webrtc-ip-handling-policy=disable_non_proxied_udp")
	}
	return append(flags, "--host-resolver-rules="+HostRules(hosts, httpAddr, httpsAddr, w.live), "about:blank")
}

// noSandboxEnv, set to 1, makes Chromium run without its own sandbox. Our container image
// sets it, because containers give Chromium no privilege to make a sandbox.
const noSandboxEnv = "OPENCHROME_BENCH_NO_SANDBOX"

// whyNoSandbox says why Chromium runs without its own sandbox; empty if it runs with it.
func whyNoSandbox() string { return noSandbox(os.Geteuid(), os.Getenv(noSandboxEnv)) }

func noSandbox(uid int, env string) string {
	switch {
	case uid == 0:
		return "the harness ran as root" // Chromium refuses to run with its sandbox then
	case env == "1":
		return noSandboxEnv + " is set"
	}
	return ""
}

// HostRules returns the value of Chromium's --host-resolver-rules that maps the ports 80
// and 443 of each host to the two addresses of the fixture web, so that no URL needs a
// port. Unless live is set, the browser cannot reach any other host, by name or by address.
func HostRules(hosts []string, httpAddr, httpsAddr string, live bool) string {
	var rules []string
	for _, h := range hosts {
		rules = append(rules, "MAP "+h+":80 "+httpAddr, "MAP "+h+":443 "+httpsAddr)
	}
	if !live {
		rules = append(rules, "MAP * ~NOTFOUND")
	}
	return strings.Join(rules, ",")
}
