package why

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// WentWrong says where failed episodes went wrong, the most frequent way first. It is empty if none
// has a call.
func WentWrong(failed report.Episodes) string {
	counts, all := map[string]int{}, 0
	for _, e := range failed.All() {
		if len(e.Calls) > 0 {
			counts[wrong(e)]++
			all++
		}
	}
	ways := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	switch {
	case all == 0:
		return ""
	case len(ways) == 1:
		return "all counted failures " + ways[0]
	}
	for i, way := range ways {
		words := way
		if counts[way] == 1 {
			verb, rest, _ := strings.Cut(way, " ")
			words = verb + "s " + rest
		}
		ways[i] = fmt.Sprintf("%d %s", counts[way], words)
	}
	return fmt.Sprintf("of %s, %s", display.Count(all, "counted failure"), strings.Join(ways[:min(len(ways), maxWays)], ", "))
}

// maxWays is how many ways [WentWrong] names.
const maxWays = 3

// wrong says at which tool an episode went wrong.
func wrong(e *report.Episode) string {
	d := Diagnose(e)
	tool := display.Visible(d.Call.Tool)
	switch {
	case d.isKnown():
		return fmt.Sprintf("come from %s: the page got %q", tool, d.Part.Word)
	case d.Kind == AtLast:
		return "end in " + tool
	}
	return "come from " + tool
}
