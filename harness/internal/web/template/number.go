package template

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/param"
)

var decimalNumber = regexp.MustCompile(`^-?[0-9]{1,15}(\.[0-9]{1,15})?$`)

// Decimal reads a number such as -12 or 39.50. It reports whether text is one.
func Decimal(text string) (float64, bool) {
	if !decimalNumber.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// sortRows returns the rows ordered by a column: first numbers, then other values as text.
// Rows with equal values keep their order.
func sortRows(column string, rows []param.Row) []param.Row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b param.Row) int {
		m, mIsNumber := Decimal(a[column])
		n, nIsNumber := Decimal(b[column])
		switch {
		case mIsNumber && nIsNumber:
			return cmp.Compare(m, n)
		case mIsNumber:
			return -1
		case nIsNumber:
			return 1
		}
		return strings.Compare(a[column], b[column])
	})
	return rows
}

// funcs are our functions of templates.
var funcs = map[string]any{
	"add":   func(a, b int) int { return a + b },
	"blank": func(s string) bool { return strings.TrimSpace(s) == "" },
	"mul":   func(a, b int) int { return a * b },
	"num":   Num,
	"sort":  sortRows,
}

// Num reads a whole number; anything else is 0.
func Num(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
