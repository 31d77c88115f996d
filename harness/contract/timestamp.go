package contract

import "time"

// parseTimestamp reads YYYY-MM-DDTHH:MM:SS[.d…](Z|±HH:MM), at most nine
// fraction digits, of a real date in UTC years 0 to 9999; it returns
// milliseconds since 1970, further digits cut off.
func parseTimestamp(s string) (ms int64, ok bool) {
	const form = "dddd-dd-ddTdd:dd:dd"
	if !hasForm(s, form) {
		return 0, false
	}
	n := func(from, to int) (v int) {
		for ; from < to; from++ {
			v = v*10 + int(s[from]-'0')
		}
		return v
	}
	year, month, day := n(0, 4), n(5, 7), n(8, 10)
	hour, minute, second := n(11, 13), n(14, 16), n(17, 19)
	if month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	date := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if date.Day() != day { // the date ran over into the next month
		return 0, false
	}
	i, milli := len(form), 0
	if i < len(s) && s[i] == '.' {
		start := i + 1
		for i = start; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		}
		if i == start || i-start > 9 {
			return 0, false
		}
		milli = n(start, min(i, start+3))
		for k := i - start; k < 3; k++ {
			milli *= 10
		}
	}
	var offset time.Duration
	switch zone := s[i:]; {
	case zone == "Z":
	case hasForm(zone, "+dd:dd") && len(zone) == 6, hasForm(zone, "-dd:dd") && len(zone) == 6:
		h, m := n(i+1, i+3), n(i+4, i+6)
		if h > 23 || m > 59 {
			return 0, false
		}
		offset = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
		if zone[0] == '-' {
			offset = -offset
		}
	default:
		return 0, false
	}
	date = date.Add(-offset)
	if y := date.Year(); y < 0 || y > 9999 {
		return 0, false
	}
	return date.UnixMilli() + int64(milli), true
}

// hasForm reports whether s begins with form, in which d is any digit.
func hasForm(s, form string) bool {
	if len(s) < len(form) {
		return false
	}
	for i := range len(form) {
		if form[i] == 'd' && (s[i] < '0' || s[i] > '9') || form[i] != 'd' && s[i] != form[i] {
			return false
		}
	}
	return true
}

// formatTimestamp is Date.prototype.toISOString.
func formatTimestamp(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
