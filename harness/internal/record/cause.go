package record

// Cause says what decided: why a call has no answer, or why an episode has its status. It is
// empty if the call was answered, and if the episode passed.
type Cause string

// The causes of a [Fault] and of a [Stop].
const (
	CauseStopped    Cause = "stopped"    // the run was stopped
	CauseTimeCap    Cause = "time_cap"   // the time cap was hit
	CauseOutage     Cause = "outage"     // the environment failed
	CauseOpenChrome Cause = "openchrome" // OpenChrome died, closed its stream or broke the protocol
)

// The causes that only a [Stop] has.
const (
	CauseNoSession     Cause = "no_session"   // the session did not start
	CauseNoPage        Cause = "no_page"      // there was no page to judge
	CauseMissing       Cause = "missing"      // facts are missing, so there is no verdict
	CauseAdapter       Cause = "adapter"      // the adapter failed
	CauseStepCap       Cause = "step_cap"     // the step cap was hit
	CauseChangedAnswer Cause = "drift"        // an answer changed
	CauseUnsupported   Cause = "unsupported"  // the transcript says that the server cannot do the task
	CauseGaveUp        Cause = "gave_up"      // an adapter without a transcript gave up
	CauseNoTool        Cause = "not_possible" // the server's profile has no tool for an intent
	CauseContract      Cause = "contract"     // the contract does not hold
	CauseConsoleFull   Cause = "console_full" // the session filled the log of console messages
)

// Ending says how the log of a run ends.
type Ending string

// The endings.
const (
	EndingWhole       Ending = ""            // the run ended by itself
	EndingNone        Ending = "none"        // the run was killed, or is still running
	EndingInterrupted Ending = "interrupted" // the run was stopped
)

// Words describes an ending that is not whole; empty if it is.
func (e Ending) Words() string {
	switch e {
	case EndingNone:
		return "the run did not end: it was killed, or it is still running"
	case EndingInterrupted:
		return "the run was interrupted"
	}
	return ""
}
