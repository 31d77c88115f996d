package record

import (
	"slices"
	"strings"
)

// Canonical reports say only in words what happened. This file turns these words into causes. No
// other file matches words of the harness: TestNoProseAsData checks that.

// wordsOf are the words that the reasons of a status begin with.
var wordsOf = []struct {
	status Status
	begin  string
	cause  Cause
}{
	{Interrupted, "", CauseStopped},
	{ToolError, "", CauseOpenChrome},
	{Timeout, "", CauseTimeCap},
	{MaxSteps, "", CauseStepCap},
	{AdapterError, "-drift=strict, ", CauseChangedAnswer},
	{AdapterError, "", CauseAdapter},
	{Inconclusive, "not OpenChrome's fault: ", CauseOutage},
	{Inconclusive, "the session did not start: ", CauseNoSession},
	{Inconclusive, "", CauseMissing},
	{Failed, "the answer of step ", CauseChangedAnswer},
	{Failed, "an answer changed", CauseChangedAnswer},
	{Failed, "unsupported: ", CauseUnsupported},
	{Failed, "the adapter gave up: ", CauseGaveUp},
	{Failed, "no page to judge: ", CauseNoPage},
	{Failed, "the session filled the log of console messages: ", CauseConsoleFull},
	{Failed, "want: ", CauseContract},
}

// CauseOf returns the cause of an episode with this status and reason; empty if the words are
// not known. about is what follows the words of [CauseUnsupported]: why the server cannot do
// the task.
func CauseOf(s Status, reason string) (c Cause, about string) {
	for _, old := range wordsOf {
		rest, ok := strings.CutPrefix(reason, old.begin)
		switch {
		case s != old.status || !ok:
		case old.cause == CauseUnsupported:
			return old.cause, rest
		default:
			return old.cause, ""
		}
	}
	return "", ""
}

// EndingOf returns the ending that the notes of a report describe.
func EndingOf(notes []string) Ending {
	for _, e := range []Ending{EndingNone, EndingInterrupted} {
		if slices.Contains(notes, e.Words()) {
			return e
		}
	}
	return EndingWhole
}
