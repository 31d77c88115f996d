package launch

import (
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// TestChromiumIsHermetic: no page reaches an address that is not the fixture
// web, over no protocol that Chromium speaks. Each way has a listener of its
// own. The page tries the ways one after another and reports in its title that
// it is through.
func TestChromiumIsHermetic(t *testing.T) {
	ways := []struct{ name, network, script string }{
		{"STUN", "udp", `await ice({urls: "stun:127.0.0.1:PORT"})`},
		{"TURN over UDP", "udp", `await ice({urls: "turn:127.0.0.1:PORT?transport=udp", username: "u", credential: "c"})`},
		{"TURN over TCP", "tcp", `await ice({urls: "turn:127.0.0.1:PORT?transport=tcp", username: "u", credential: "c"})`},
		{"TURN over TLS", "tcp", `await ice({urls: "turns:127.0.0.1:PORT?transport=tcp", username: "u", credential: "c"})`},
		{"a peer over UDP", "udp", `await peer("candidate:1 1 udp 2122260223 127.0.0.1 PORT typ host")`},
		{"a peer over TCP", "tcp", `await peer("candidate:1 1 tcp 1518280447 127.0.0.1 PORT typ host tcptype passive")`},
		{"QUIC", "udp", `await tried(new WebTransport("https://127.0.0.1:PORT/").ready)`},
		{"https", "tcp", `await tried(fetch("https://127.0.0.1:PORT/", {mode: "no-cors"}))`},
		{"a WebSocket", "tcp", `await tried(new Promise((_, no) => { new WebSocket("wss://127.0.0.1:PORT/").onerror = no }))`},
	}
	var script strings.Builder
	received := make([]atomic.Int64, len(ways))
	for i, way := range ways {
		port := listen(t, way.network, &received[i])
		script.WriteString("try { " + strings.ReplaceAll(way.script, "PORT", fmt.Sprint(port)) + " } catch (e) { failed.push(e.message) }\n")
	}
	set, ca := probeSites(t, `
		const failed = [];
		const later = () => new Promise(done => setTimeout(done, 700));
		const tried = p => Promise.race([Promise.resolve(p).catch(() => {}), later()]);
		const ice = async server => {
			const c = new RTCPeerConnection({iceServers: [server]});
			c.createDataChannel("x");
			await c.setLocalDescription(await c.createOffer());
			await later();
			c.close();
		};
		const peer = async candidate => {
			const c = new RTCPeerConnection(), other = new RTCPeerConnection();
			c.createDataChannel("x");
			await c.setLocalDescription(await c.createOffer());
			await other.setRemoteDescription(c.localDescription);
			await other.setLocalDescription(await other.createAnswer());
			await c.setRemoteDescription(other.localDescription);
			await c.addIceCandidate({candidate, sdpMid: "0"});
			await later();
			c.close(); other.close();
		};
		(async () => {
			`+script.String()+`
			document.title = "tried " + failed.join("; ");
		})()`)
	b := startBrowser(t, set, ca, ca)
	need.Is(t, "the page could not try everything", "tried", b.title(t, "https://probe.test/"))
	for i, way := range ways {
		if n := received[i].Load(); n > 0 {
			t.Errorf("%s: received %d times", way.name, n)
		}
	}
}

// listen counts the packets or connections that a port of the loopback gets.
func listen(t *testing.T, network string, received *atomic.Int64) (port int) {
	t.Helper()
	if network == "udp" {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		need.OK(t, err)
		t.Cleanup(func() { c.Close() })
		go func() {
			for b := make([]byte, 2048); ; received.Add(1) {
				if _, _, err := c.ReadFrom(b); err != nil {
					return
				}
			}
		}()
		return c.LocalAddr().(*net.UDPAddr).Port
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	need.OK(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for ; ; received.Add(1) {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.SetDeadline(time.Now().Add(time.Second))
			c.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}
