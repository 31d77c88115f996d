package judge

// decodeJSON reads one JSON text as a value of [Details].
func decodeJSON(data []byte) (any, error) {
	n, err := parse(data)
	return value(n), err
}

// Refused is what oc_assert answers to a contract with faults.
func Refused([]Fault) Judgement {
	return Judgement{Verdict: Inconclusive, InconclusiveReason: "contract failed schema validation"}
}
