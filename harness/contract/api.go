package contract

import (
	"encoding/json"
	"time"
)

// Fault is one validation error: a JSON path in the contract and a message.
type Fault struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Contract is a validated contract. It is immutable and safe for concurrent use.
type Contract struct {
	raw json.RawMessage
}

// Parse validates raw; the Contract is nil exactly when there are faults.
func Parse(raw []byte) (*Contract, []Fault) { return &Contract{raw: raw}, nil }

// Raw returns the JSON the contract was parsed from.
func (c *Contract) Raw() json.RawMessage { return c.raw }

// MarshalJSON returns the JSON the contract was parsed from.
func (c *Contract) MarshalJSON() ([]byte, error) { return c.raw, nil }

// Live returns the contract with omitted dom_text selectors written out as "body".
func (c *Contract) Live() *Contract { return c }

// Needs returns the facts the contract reads.
func (c *Contract) Needs() Needs { return Needs{} }

// Kinds returns all assertion kinds, in OpenChrome's order.
func Kinds() []string { return nil }

// Fields returns the fields an assertion of this kind may have, "kind" among them.
func Fields(kind string) ([]string, bool) { return nil, false }

// Needs lists the facts a contract reads. Text and Count hold selectors, sorted and unique.
type Needs struct {
	Text        []string `json:"text,omitempty"`
	Count       []string `json:"count,omitempty"`
	URL         bool     `json:"url,omitempty"`
	Network     bool     `json:"network,omitempty"`
	Dialog      bool     `json:"dialog,omitempty"`
	Screenshot  bool     `json:"screenshot,omitempty"`
	Performance bool     `json:"performance,omitempty"`
	Console     bool     `json:"console,omitempty"`
	ImageQA     bool     `json:"image_qa,omitempty"`
}

// Facts is what was read off the page, in the form of OpenChrome's snapshot.
type Facts struct {
	// URL is the page's address; nil counts as the empty string.
	URL *string `json:"url,omitempty"`
	// DOMText is the text of the page or of selectors; nil when not read.
	DOMText *Text `json:"dom_text,omitempty"`
	// DOMCount maps a selector to how many elements it matches.
	DOMCount map[string]float64 `json:"dom_count,omitempty"`
	Network  []Request          `json:"network,omitempty"`
	// HasOpenDialog says whether a JavaScript dialog is open.
	HasOpenDialog bool `json:"has_open_dialog,omitempty"`
	// ScreenshotPNG is a PNG in base64.
	ScreenshotPNG string `json:"screenshot_png_base64,omitempty"`
	// ContractFacts is the array of performance and console facts as OpenChrome's tools return it.
	ContractFacts json.RawMessage `json:"contract_facts,omitempty"`
	// Unavailable maps the name of a fact that could not be read (see FactName) to the reason.
	Unavailable map[string]string `json:"unavailable,omitempty"`
}

// Text is dom_text: one text that serves every selector, or a text for each named selector.
type Text struct {
	// All serves every selector when Of is nil.
	All string
	// Of maps a selector to its text; a nil text means that no element matches.
	Of map[string]*string
}

// Request is one entry of the network facts.
type Request struct {
	URL    string  `json:"url"`
	Status float64 `json:"status"`
	TS     float64 `json:"ts"`
}

// Provenance says where the facts were read.
type Provenance struct {
	TargetID string `json:"target_id,omitempty"`
}

// Input is what [Judge] weighs. The zero value has no snapshot.
type Input struct {
	// Facts is the snapshot; nil means that there is none.
	Facts      *Facts     `json:"facts,omitempty"`
	Provenance Provenance `json:"provenance"`
	SessionID  string     `json:"session_id,omitempty"`
	// Now is the instant that ages are measured from; the zero value is time.Now.
	Now time.Time `json:"now"`
	// ClassesDir is the root of the screenshot classes.
	ClassesDir string `json:"-"`
}

// Verdict is pass, fail or inconclusive.
type Verdict string

// The verdicts.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive"
)

// Evidence is what judging one assertion saw.
type Evidence struct {
	Passed        bool    `json:"passed"`
	AssertionKind string  `json:"assertion_kind"`
	Details       Details `json:"details"`
}

// Details is a JSON object that keeps the order of its keys.
type Details []Detail

// Detail is one key of Details with its value.
type Detail struct {
	Key   string
	Value any
}

// FailedAssertion is one assertion that did not hold.
type FailedAssertion struct {
	Name     string `json:"name"`
	Expected any    `json:"expected"`
	Actual   any    `json:"actual"`
	Location string `json:"location,omitempty"`
}

// Judgement is the answer of [Judge], with the JSON names of OpenChrome's oc_assert.
type Judgement struct {
	Verdict            Verdict           `json:"verdict"`
	Evidence           *Evidence         `json:"evidence,omitempty"`
	FailedAssertions   []FailedAssertion `json:"failed_assertions,omitempty"`
	FailureCategory    string            `json:"failure_category,omitempty"`
	FailureReason      string            `json:"failure_reason,omitempty"`
	ErrorCode          string            `json:"error_code,omitempty"`
	InconclusiveReason string            `json:"inconclusive_reason,omitempty"`
}

// Judge weighs the facts. A contract that does not hold is a verdict, never an error.
func Judge(c *Contract, in Input) Judgement { return Judgement{Verdict: Inconclusive} }

// Node is one assertion of an explained contract.
type Node struct {
	Kind     string  `json:"kind"`
	Path     string  `json:"path"`
	Verdict  Verdict `json:"verdict"`
	Expected string  `json:"expected,omitempty"`
	Observed string  `json:"observed,omitempty"`
	Note     string  `json:"note,omitempty"`
	Children []Node  `json:"children,omitempty"`
}

// Explain gives the contract as a tree of nodes with what each expected and saw.
func Explain(c *Contract, in Input, j Judgement) Node { return Node{} }

// FailedContract names the assertion that decided against a contract.
type FailedContract struct {
	Kind        string  `json:"kind"`
	Path        string  `json:"path"`
	Expected    string  `json:"expected"`
	Observed    string  `json:"observed"`
	TextPreview *string `json:"text_preview,omitempty"`
}

// FirstFailing names the assertion that decided against the contract; nil when it passed.
func FirstFailing(c *Contract, in Input, j Judgement) *FailedContract { return nil }
