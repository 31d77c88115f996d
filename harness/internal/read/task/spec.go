package task

import (
	"time"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/phash"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// The caps of an episode: the defaults, and the highest values that a task may
// set.
const (
	DefaultMaxSteps      = 30
	DefaultMaxDurationMs = 120_000
	LimitMaxSteps        = 100
	LimitMaxDurationMs   = 600_000
)

// Categories are the values of a task's category; the first is the default.
var Categories = []string{
	"info_retrieval", "multi_step_navigation", "form_fill", "transactional_mock",
	"recovery", "dynamic_ui", "long_horizon",
}

// Spec is one task. Its JSON names are the names in the task file: the fields of
// OpenChrome's EpisodeTaskSpec.
type Spec struct {
	ID       string          `json:"id"`       // [a-z0-9][a-z0-9-]*, the name of its folder
	Title    string          `json:"title"`    // one line for people
	StartURL string          `json:"startUrl"` // http or https
	Goal     string          `json:"goal"`     // the adapter's instruction
	Success  *judge.Contract `json:"success"`  // the contract that judges the result; no adapter sees it

	MaxSteps      int   `json:"maxSteps"`      // 1 to [LimitMaxSteps]
	MaxDurationMs int   `json:"maxDurationMs"` // 1 to [LimitMaxDurationMs]
	Setup         Setup `json:"setup,omitzero"`

	Tags     []string `json:"tags,omitempty"`
	Category string   `json:"category"` // one of [Categories]

	// Revision counts the changes of the task, its pages and its transcripts; the first is
	// 1. Results of different revisions cannot be compared.
	Revision int `json:"revision"`

	// Mechanics says in one line what makes the task's pages hard. It is for people.
	Mechanics string `json:"mechanics,omitempty"`

	// Values are drawn by the rules in params.json; nil without that file. The hosts in
	// Sites show them.
	Values param.Values `json:"-"`
	Sites  []string     `json:"-"`
	// Uploads are the files that a session can upload, by name; nil if there are none.
	Uploads map[string][]byte `json:"-"`
	// Classes are the task's own screenshot classes, by their ids; nil if there are none.
	Classes map[string]phash.Class `json:"-"`
	// Folder is where the task was read from.
	Folder *Folder `json:"-"`
	// Warnings are remarks on the file. They are not faults.
	Warnings jsonfile.Faults `json:"-"`
}

// Setup is the state of the browser before the first step.
type Setup struct {
	ClearCookies bool      `json:"clearCookies,omitempty"` // has no effect: a fresh session has no cookies
	Viewport     *Viewport `json:"viewport,omitempty"`     // nil: the browser's default
}

// Viewport is the size of a page in CSS pixels.
type Viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// MaxDuration is the time cap.
func (s Spec) MaxDuration() time.Duration {
	return time.Duration(s.MaxDurationMs) * time.Millisecond
}
