package judge

import (
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// decodeJSON reads one JSON text as a value of [evidence.Details].
func decodeJSON(data []byte) (any, error) {
	n, err := evidence.Parse(data)
	return evidence.ValueOf(n), err
}

// Refused is what oc_assert answers to a contract with faults.
func Refused([]Fault) Judgement {
	return Judgement{Verdict: Inconclusive, InconclusiveReason: "contract failed schema validation"}
}
