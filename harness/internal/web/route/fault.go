package route

import "time"

// The values of "fault". The client gets no answer, or half of one.
const (
	Reset = "reset" // the connection breaks before the answer
	Cut   = "cut"   // the connection breaks after half of the body
	Hang  = "hang"  // no answer comes until the client leaves or the web closes
)

var faults = []string{Cut, Hang, Reset}

// maxDelay bounds "delayMs".
const maxDelay = time.Minute
