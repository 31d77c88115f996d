package episode

// RunOn is [Run] with another source of facts than the session's.
var RunOn = runOn

// SettleLimit is settleLimit, for tests.
const SettleLimit = settleLimit

// FactsGrace is factsGrace, for tests.
const FactsGrace = factsGrace

// SetRunning replaces running.
func SetRunning(f func() int) { running = f }
