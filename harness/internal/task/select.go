package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/display"
)

// Select returns the specs whose id is in ids and that have one of the tags. Both are lists
// separated by commas; an empty list selects all. It returns an error if no spec has one of
// the names, or if no spec is selected.
func Select(specs []Spec, ids, tags string) ([]Spec, error) {
	wantID, err := names(ids, "task", specs, func(s Spec) []string { return []string{s.ID} })
	if err != nil {
		return nil, err
	}
	wantTag, err := names(tags, "tag", specs, func(s Spec) []string { return s.Tags })
	if err != nil {
		return nil, err
	}
	var chosen []Spec
	for _, s := range specs {
		if (wantID == nil || wantID[s.ID]) && (wantTag == nil || slices.ContainsFunc(s.Tags, func(t string) bool { return wantTag[t] })) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no task has one of the ids %s and one of the tags %s; run mage bench:list",
			display.Quote(ids), display.Quote(tags))
	}
	return chosen, nil
}

// names splits a list and checks that some spec has each name. It returns nil for an
// empty list.
func names(list, what string, specs []Spec, of func(Spec) []string) (map[string]bool, error) {
	if list == "" {
		return nil, nil
	}
	var known []string
	for _, s := range specs {
		known = append(known, of(s)...)
	}
	want := make(map[string]bool)
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown %s %s%s; run mage bench:list", what, display.Quote(name), display.DidYouMean(name, known))
		}
		want[name] = true
	}
	return want, nil
}
