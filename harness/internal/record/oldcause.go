package record

import (
	"fmt"
	"slices"
	"strings"
)

// Logs and reports from before causes, and canonical reports, which have the bytes that they
// always had, say only in words what happened. This file turns these words into causes. No
// other file matches words of the harness: TestNoProseAsData checks that.

// misfit begins the reason of an episode that is void because of drift. The step follows,
// then a colon and an answer.
const misfit = "the transcript no longer fits from step "

// MisfitReason is the reason of an episode with [CauseMisfit], without the answer.
func MisfitReason(step int) string { return fmt.Sprint(misfit, step) }

// oldCauses are the words that the reasons of a status begin with.
var oldCauses = []struct {
	status Status
	begin  string
	cause  Cause
}{
	{Interrupted, "", CauseStopped},
	{ToolError, "", CauseOpenChrome},
	{Timeout, "", CauseTimeCap},
	{MaxSteps, "", CauseStepCap},
	{AdapterError, misfit, CauseMisfit},
	{AdapterError, "-drift=strict, ", CauseDrift},
	{AdapterError, "", CauseAdapter},
	{Inconclusive, "not OpenChrome's fault: ", CauseOutage},
	{Inconclusive, "the judges disagree: ", CauseDisagreement},
	{Inconclusive, "the session did not start: ", CauseNoSession},
	{Inconclusive, "", CauseMissing},
	{Failed, "the answer of step ", CauseDrift},
	{Failed, "an answer drifted", CauseDrift},
	{Failed, "unsupported: ", CauseUnsupported},
	{Failed, "the adapter gave up: ", CauseGaveUp},
	{Failed, "no page to judge: ", CauseNoPage},
	{Failed, "the session filled the log of console messages: ", CauseConsoleFull},
	{Failed, "want: ", CauseContract},
}

// OldCause returns the cause of an episode with this status and reason; empty if the words are
// not known. about is what follows the words of [CauseUnsupported]: why the server cannot do
// the task.
func OldCause(s Status, reason string) (c Cause, about string) {
	for _, old := range oldCauses {
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

// addOldCause gives a stop from an old log its cause. It removes the answer after
// [MisfitReason], which was cut before it could be made comparable.
func addOldCause(s *Stop) {
	if s.Cause == "" {
		s.Cause, _ = OldCause(s.Status, s.Reason)
	}
	if s.Cause == CauseMisfit {
		s.Reason, _, _ = strings.Cut(s.Reason, ":")
	}
	if isOldDrift(s) {
		s.Error, _, _ = strings.Cut(s.Error, ":")
	}
}

// isOldDrift reports whether drift ended the episode, in a log from before [EndDrift].
func isOldDrift(s *Stop) bool { return s.End == EndAdapter && strings.HasPrefix(s.Error, misfit) }

// OldEnding returns the ending that the notes of a report describe.
func OldEnding(notes []string) Ending {
	for _, e := range []Ending{EndingNone, EndingInterrupted} {
		if slices.Contains(notes, e.Words()) {
			return e
		}
	}
	return EndingWhole
}
