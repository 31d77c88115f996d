package event

// Status says how an episode ended.
type Status string

// The statuses, in order: the first that applies is the episode's.
const (
	Interrupted  Status = "interrupted"   // the run was stopped
	ToolError    Status = "tool_error"    // after it was ready, OpenChrome died, closed its stream or broke the protocol
	AdapterError Status = "adapter_error" // the adapter failed, or a transcript drifted
	Passed       Status = "passed"        // the contract holds
	Timeout      Status = "timeout"       // the time cap was hit
	Inconclusive Status = "inconclusive"  // the session never came up or lost what it runs on, or facts are missing
	MaxSteps     Status = "max_steps"     // the step cap was hit
	Failed       Status = "failed"        // the adapter was done and the contract does not hold
)

// Class is what a status counts as.
type Class string

// The classes. A void episode counts neither for nor against OpenChrome.
const (
	Pass Class = "pass"
	Fail Class = "fail"
	Void Class = "void"
)

// Class returns what the status counts as; an unknown status is void.
func (s Status) Class() Class {
	switch s {
	case Passed:
		return Pass
	case ToolError, Timeout, MaxSteps, Failed:
		return Fail
	}
	return Void
}
