// Package event is the event log: what happened in a run, one JSON object a
// line, in the order in which it happened within each episode.
//
// The log is the only hand-off between running and telling. It holds raw tool
// results and the facts that were judged, so a report can be rebuilt and a
// verdict checked again at any time without a browser.
//
// Every line has seq, ts, episode, type and by, and beside them the fields of
// its [Body]. seq counts from 1 within an episode; run_start and run_end belong
// to no episode and have seq 0. The format is described in events/README.md and
// events/event.schema.json.
package event
