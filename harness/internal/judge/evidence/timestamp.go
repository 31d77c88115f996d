package evidence

import (
	"regexp"
	"time"
)

// timestampForm is stricter than RFC 3339 in package time.
var timestampForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// parseTimestamp reads YYYY-MM-DDTHH:MM:SS[.d…](Z|±HH:MM), with at most nine fraction
// digits, a real date and a year from 0 to 9999 in UTC. It returns milliseconds since 1970
// and ignores further digits.
func parseTimestamp(s string) (ms int64, ok bool) {
	t, err := time.Parse(time.RFC3339, s)
	year := t.UTC().Year()
	return t.UnixMilli(), err == nil && timestampForm.MatchString(s) && year >= 0 && year <= 9999
}

// formatTimestamp formats t like JavaScript's Date.prototype.toISOString.
func formatTimestamp(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
