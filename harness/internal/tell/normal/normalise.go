// Package normal gives the events of an episode the form in which episodes are compared: without
// times and measurements, and with names instead of ids. It reads no log and makes no report.
package normal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
)

// Version counts the changes of [rules] and of their functions. Runs that were
// normalised in different ways cannot be compared by their digests.
const Version = 4

// Normaliser makes the events of one episode comparable: it replaces everything that
// differs between two episodes in which the same happened. Its rules come from real answers
// of OpenChrome 1.7.15 and 1.12 to 1.15, and of the peers. The descriptions of servers add theirs.
type Normaliser struct {
	names map[string]string // TAB1, TAB2, … in order of appearance, by tab id
	nodes map[string]int    // places in the last answer with ids of nodes, from 1, by id
	Last  Answer            // of the last call
	Whole string            // its texts, before a part of them was removed

	changed bool // an answer changed
}

// rule rewrites one volatile pattern. Texts without the word mark are not searched, because
// pages are long and the patterns are rare.
type rule struct {
	mark    string
	pattern *regexp.Regexp
	to      string
}

var rules = []rule{
	// Ids of nodes: of the first element of a line, and of parents that share the line with
	// their only child, as in "[45]footer>[46]div> [47]<p/>Text".
	{"[", regexp.MustCompile(`(?m)^(\s*)\[\d+\]<`), "$1[node]<"},
	{"]", regexp.MustCompile(`\[\d+\]([\w-]+>)`), "[node]$1"},
	{"[node]", regexp.MustCompile(`(\[node\][\w-]+> )\[\d+\]<`), "$1[node]<"},
	{" ×", regexp.MustCompile(`\[\d+-\d+\] ([\w-]+ ×)`), "[nodes] $1"}, // alike elements, as in "[74-5] th ×4"
	// The answers to a call that names a node.
	{"element ", regexp.MustCompile(`\belement \d+( at \(|\.)`), "element [node]$1"},
	{"Scrolled to ", regexp.MustCompile(`^Scrolled to \d+$`), "Scrolled to [node]"},
	{"Error: ", regexp.MustCompile(`^(Error: (?:Could not get position for |Reference '|Element ref or node ID ')?)\d+\b`), "$1[node]"},
	{"ackendNodeId", regexp.MustCompile(`("backendNodeIds?":\s*)(\d+|\[[\d,\s]*\])`), "${1}0"},
	{"elapsed", regexp.MustCompile(`("elapsed(?:Ms)?":\s*)[\d.]+`), "${1}0"},
	{"uration", regexp.MustCompile(`("(?:\w+D|d)uration(?:Ms)?":\s*)[\d.]+`), "${1}0"},
	{"after ", regexp.MustCompile(`\bafter \d+ ?ms\b`), "after 0ms"},
	{"over ", regexp.MustCompile(`\bover \d+ ?ms\b`), "over 0ms"},
	{"Total: ", regexp.MustCompile(`\bTotal: \d+ ?ms\b`), "Total: 0ms"},
	{"At", regexp.MustCompile(`("(?:created|lastActivity|captured)At":\s*)(?:[\d.]+|"[^"]*")`), "${1}0"},
	{"imestamp", regexp.MustCompile(`("(?:first|last)Timestamp":\s*)[\d.]+`), "${1}0"},
	{"worker-", regexp.MustCompile(`\bworker-[0-9a-f]{8}\b`), "worker-id"},
	{"dk-", regexp.MustCompile(`\bdk-\d+-\w{4}\b`), "dk-id"},
	{"snap_", regexp.MustCompile(`\bsnap_\w+`), "snap_id"},
	{"ev_", regexp.MustCompile(`\bev_\w+`), "ev_id"},
	{"ocw_", regexp.MustCompile(`\bocw_\w+`), "ocw_id"},
	{"openchrome-bench-", regexp.MustCompile(`openchrome-bench-[\w-]+(?:/[\w-]+)?`), "openchrome-bench-tmp"},
	{"the last it said: ", regexp.MustCompile(`(?s)the last it said: .*`), "the last it said"},
	{"cookieAge", regexp.MustCompile(`("cookieAge":\s*)"[^"]*"`), `${1}""`},
}

var tabID = regexp.MustCompile(`\b[0-9A-F]{32}\b`)

// Text normalises one text item.
func (n *Normaliser) Text(s string) string {
	for _, r := range rules {
		if strings.Contains(s, r.mark) {
			s = r.pattern.ReplaceAllString(s, r.to)
		}
	}
	for _, r := range server.VolatileParts() {
		if strings.Contains(s, r.Mark) {
			s = r.Pattern.ReplaceAllString(s, r.To)
		}
	}
	return sortCookies(n.Tabs(s))
}

// hit is the line in which computer says what was below the mouse.
var hit = regexp.MustCompile(`\nHit: .*`)

// clicked is the first line of an answer of interact that ends with a ref of the element.
var clicked = regexp.MustCompile(`^(✓ .*) \[ref_\d+\]$`)

// settled removes what the answer of an acting tool says of the page after a fixed wait
// ([Page navigated: …], [DOM Delta], [Page State] and more). On OpenChrome 1.7.15 that part
// depends on how busy the machine is. The next call and the facts show the page's final
// state. The ref goes too: it is missing if the page replaced the element during the call.
func settled(s string) string {
	answer, page, _ := strings.Cut(s, "\n[")
	return clicked.ReplaceAllString(strings.TrimRight(answer, "\n"), "$1") + hit.FindString(page)
}

// Reason normalises the reason of a stop. If it is the first changed answer, the event of that answer has
// all of it.
func (n *Normaliser) Reason(b *record.Stop) string {
	if b.Status == record.Failed && n.changed {
		return "an answer changed"
	}
	return n.Text(b.Reason)
}

// filesPath finds the path of the folder with the task's files, also in JSON.
var filesPath = regexp.MustCompile(`(?:[A-Za-z]:)?(?:[\\/]+[^\s\\/"'<>|:*?]+)*[\\/]+` + adapter.FilesDir + `[\\/]+`)

// placed replaces the path of that folder by its name.
func placed(s string) string {
	if !strings.Contains(s, adapter.FilesDir) {
		return s
	}
	return filesPath.ReplaceAllString(s, adapter.FilesDir+"/")
}

var nodeID = regexp.MustCompile(`\[(\d+)\]`)

// see remembers the ids in an answer by their places in it, if it has any.
func (n *Normaliser) see(texts []string) {
	nodes := map[string]int{}
	for _, text := range texts {
		for _, id := range nodeID.FindAllStringSubmatch(text, -1) {
			if nodes[id[1]] == 0 {
				nodes[id[1]] = len(nodes) + 1
			}
		}
	}
	if len(nodes) > 0 {
		n.nodes = nodes
	}
}

// Args normalises the arguments of a call. A ref that is the id of a node becomes the place
// that it had in the last answer with ids.
func (n *Normaliser) Args(raw json.RawMessage) string {
	args := n.Tabs(string(raw))
	var named struct{ Ref string }
	if !strings.Contains(args, `"ref"`) || json.Unmarshal(raw, &named) != nil || strings.Trim(named.Ref, "0123456789") != "" || named.Ref == "" {
		return args
	}
	place := "[node]"
	if i := n.nodes[named.Ref]; i > 0 {
		place = fmt.Sprintf("[node %d]", i)
	}
	return regexp.MustCompile(`("ref":\s*")`+named.Ref+`"`).ReplaceAllString(args, "${1}"+place+`"`)
}

// Tabs replaces tab ids and the places of files.
func (n *Normaliser) Tabs(s string) string {
	s = placed(s)
	if !mayHoldTabID(s) {
		return s
	}
	return tabID.ReplaceAllStringFunc(s, func(id string) string {
		if n.names == nil {
			n.names = map[string]string{}
		}
		if n.names[id] == "" {
			n.names[id] = fmt.Sprint("TAB", len(n.names)+1)
		}
		return n.names[id]
	})
}

// SameTab replaces all tab ids by one, and the places of files. Equal answers then have equal
// numbers of tokens in every run.
func SameTab(s string) string {
	if mayHoldTabID(s) {
		s = tabID.ReplaceAllString(s, "55D204C83A89332D6F1694E6F5844B05")
	}
	return placed(s)
}

// mayHoldTabID looks for 32 hexadecimal digits in a row. Most texts have none, so they need
// no regular expression.
func mayHoldTabID(s string) bool {
	for i := 31; i < len(s); {
		j := i
		for j >= 0 && j > i-32 && isUpperHex(s[j]) {
			j--
		}
		if j == i-32 {
			return true
		}
		i = j + 32
	}
	return false
}

func isUpperHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' }

// sortCookies sorts the list in an answer of cookies, because OpenChrome lists cookies in
// an order that varies.
func sortCookies(s string) string {
	if !strings.HasPrefix(s, "{") || !strings.Contains(s, `"cookies"`) {
		return s
	}
	var v map[string]any
	if json.Unmarshal([]byte(s), &v) != nil {
		return s
	}
	list, ok := v["cookies"].([]any)
	if !ok {
		return s
	}
	key := func(cookie any) string {
		c, _ := cookie.(map[string]any)
		return fmt.Sprintf("%v\x00%v\x00%v", c["domain"], c["path"], c["name"])
	}
	slices.SortStableFunc(list, func(a, b any) int { return strings.Compare(key(a), key(b)) })
	sorted, _ := json.Marshal(v) // it was JSON
	return string(sorted)
}

// Answer is the part of a tool's result that is compared: its texts without hints, and the
// hashes of images and other items. Other fields hold timings and hints.
type Answer struct {
	IsError bool     `json:"isError,omitempty"`
	Texts   []string `json:"texts,omitempty"`
	Others  []string `json:"others,omitempty"` // hashes
	Code    int      `json:"code,omitempty"`   // code of a JSON-RPC error
}

// answered normalises the answer to a call, and remembers it in last.
func (n *Normaliser) answered(b *record.ToolResult) Answer {
	r := b.Result
	a := Answer{IsError: r.IsError()}
	if r.RPCError != nil {
		a.Code = r.RPCError.Code
	}
	texts := r.Texts()
	n.see(texts)
	for _, text := range texts {
		a.Texts = append(a.Texts, n.Text(text))
	}
	n.Whole = strings.Join(a.Texts, "\n")
	if !a.IsError && server.Settles(b.Tool) {
		for i := range a.Texts {
			a.Texts[i] = settled(a.Texts[i])
		}
	}
	for _, raw := range r.Others() {
		sum := sha256.Sum256(raw)
		a.Others = append(a.Others, hex.EncodeToString(sum[:]))
	}
	n.Last = a
	return a
}

// Names replaces the tab ids in a part of a report.
func Names[T any](n *Normaliser, v T) T {
	raw, err := json.Marshal(v)
	if err != nil || !mayHoldTabID(string(raw)) {
		return v
	}
	var named T
	if json.Unmarshal([]byte(n.Tabs(string(raw))), &named) != nil {
		return v
	}
	return named
}
