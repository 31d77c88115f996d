package adapter

import "context"

// Program is an [Adapter] that runs beside the episode, such as an agent in a process of its
// own. The episode starts it after step 0 and before its clock, and ends it before it says how
// the episode ended.
type Program interface {
	Adapter
	// Start starts the program. s has step 0. An error ends the episode as adapter_error.
	Start(ctx context.Context, s State) error
	// End ends the program, and says what is known of it. s has all steps: the program may not
	// have seen the last answer yet. The episode calls End once, also if Start failed. If ctx
	// has ended, the run was stopped, and nobody waits for the program.
	End(ctx context.Context, s State) Agent
	// Secrets are texts that no event, report or file may hold, such as keys. They do not change
	// after Start.
	Secrets() []string
}

// Agent is what is known of a [Program] after its end. Zero values and nil are unknown.
type Agent struct {
	Model   string   `json:"model,omitempty"`  // that it used, as it says
	Answer  string   `json:"answer,omitempty"` // its last words; nobody judges them
	Usage   *Usage   `json:"usage,omitempty"`
	CostUSD *float64 `json:"costUsd,omitempty"` // as it says
	Exit    string   `json:"exit,omitempty"`    // how its process ended, such as "exit status 0"
	StartMs float64  `json:"startMs"`           // from its start to its first tools/list
	Late    int      `json:"lateCalls"`         // calls that it made after the end
	// Error says why it failed. The episode is then void as adapter_error. Outage says how
	// something that it needs failed, such as a provider of models. The episode is then void as
	// inconclusive.
	Error  string `json:"error,omitempty"`
	Outage string `json:"outage,omitempty"`
	// Output is what it printed, for the file agent.log.
	Output []byte `json:"-"`
}

// Usage counts what a model was sent and what it wrote, as the program says. Nil is unknown.
type Usage struct {
	Requests         *int `json:"requests,omitempty"`
	InputTokens      *int `json:"inputTokens,omitempty"` // without those from a cache
	CachedInput      *int `json:"cachedInputTokens,omitempty"`
	CacheWriteTokens *int `json:"cacheWriteTokens,omitempty"`
	OutputTokens     *int `json:"outputTokens,omitempty"` // without those for reasoning
	ReasoningTokens  *int `json:"reasoningTokens,omitempty"`
}
