// Package record says what happened in a run: its events, one JSON object a line of
// the event log, in order within each episode. Package eventlog has the file.
//
// Reports are made from the log alone. It holds raw tool results and the judged
// facts, so anyone can rebuild a report or check a verdict at any time without a
// browser.
//
// Every line has seq, ts, episode, type, by and the fields of its [Body]. seq counts
// from 1 within an episode; run_start and run_end do not belong to an episode and have
// seq 0. events/README.md and events/event.schema.json
// describe the format.
package record
