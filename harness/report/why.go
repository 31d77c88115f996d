package report

// Why says in one line why an episode did not pass; empty if it passed.
func Why(e *Episode) string { return e.Reason }

// Cause is what failures are grouped by: episodes that did not pass for the same reason
// have the same cause.
func Cause(e *Episode) string { return Why(e) }
