package record

import "slices"

// Families are the tags that group the tasks of the suite, in the order of its page.
var Families = []string{
	"navigation", "forms", "dynamic", "widgets", "frames", "tables", "accounts", "shop", "apps",
	"dialogs", "faults", "restraint", "accessibility", "languages", "size",
}

// FamilyRank returns the place of a family in [Families]. A category comes after all of
// them.
func FamilyRank(family string) int {
	if i := slices.Index(Families, family); i >= 0 {
		return i
	}
	return len(Families)
}

// Family returns the family of a task: the first of its tags that is one of [Families], or
// else its category.
func Family(tags []string, category string) string {
	for _, tag := range tags {
		if slices.Contains(Families, tag) {
			return tag
		}
	}
	return category
}

// InCore reports whether tags put a task into the core suite, which has the smoke suite too.
func InCore(tags []string) bool {
	return slices.Contains(tags, "core") || slices.Contains(tags, "smoke")
}
