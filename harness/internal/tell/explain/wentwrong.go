package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
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

// wrong says at which tool an episode went wrong: by its trace, else by its answers, else the last one.
func wrong(e *report.Episode) string {
	if m := Missed(e); m != nil {
		if call, p := Blamed(e, m); p != nil && p.Word != record.AsAsked && p.Word != record.NotKnown {
			return fmt.Sprintf("come from %s: the page got %q", display.Visible(call.Tool), p.Word)
		}
	}
	last := &e.Calls[len(e.Calls)-1]
	call, _ := WrongStep(e)
	if call == last && !last.Error && last.Failure == "" && len(e.ChangedAnswers) == 0 {
		return "end in " + display.Visible(last.Tool)
	}
	return "come from " + display.Visible(call.Tool)
}
