package jsregexp

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// ErrBudget is returned when the time of a [Budget] is used up.
var ErrBudget = errors.New("time budget used up")

// maxStack bounds one match's backtracking stack: 32 MB.
const maxStack = 4 << 20

// What compiling and a cheap match are charged at most. They cannot take
// longer of themselves, only while the machine is busy with something else,
// and that must not decide a verdict.
const (
	maxCompile = 5 * time.Millisecond
	maxCheap   = 10 * time.Millisecond
)

// timerPeriod is how often regexp2's clock ticks while a match runs, and so
// how far a match may overrun its budget. Its default of 100 ms is too coarse
// for a budget of that order. The clock is a goroutine, which outlives the
// match by a second; matches that are known to be cheap do not start it.
const timerPeriod = 4 * time.Millisecond

func init() { regexp2.SetTimeoutCheckPeriod(timerPeriod) }

// Regexp is a JavaScript regular expression. It is safe for concurrent use.
type Regexp struct {
	source  string
	pieces  []string // for regexp2; nil once compiled
	shape   *shape
	compile sync.Once
	engine  *regexp2.Regexp
	err     error
}

// Parse checks source. An error is a [*SyntaxError].
func Parse(source string) (*Regexp, error) {
	if re := known.get(source); re != nil {
		return re, nil
	}
	pieces, shape, err := rewrite(source, false)
	if err != nil {
		return nil, err
	}
	return known.put(&Regexp{source: source, pieces: pieces, shape: shape}), nil
}

// Lowered returns the pattern with its letters in lower case. It matches a
// string in lower case about where the pattern would match it with the flag
// i, which the engine takes long to compile.
func (re *Regexp) Lowered() *Regexp {
	pieces, shape, err := rewrite(re.source, true)
	if err != nil {
		panic("jsregexp: a parsed pattern does not parse: " + err.Error())
	}
	return &Regexp{source: re.source, pieces: pieces, shape: shape}
}

// String returns the source.
func (re *Regexp) String() string { return re.source }

func (re *Regexp) load() (*regexp2.Regexp, error) {
	re.compile.Do(func() {
		re.engine, re.err = regexp2.Compile(strings.Join(re.pieces, ""),
			regexp2.ECMAScript, regexp2.OptionMaxBacktrackingStackSize(maxStack))
		re.pieces = nil
		if re.err != nil {
			re.err = fmt.Errorf("the pattern /%s/ is valid JavaScript, but not for this harness's engine: %w", re.source, re.err)
		}
	})
	return re.engine, re.err
}

// Budget is time that several matches share. The zero value has none left.
// It is not safe for concurrent use.
type Budget struct {
	Left time.Duration
}

// Matcher runs one pattern on one goroutine.
type Matcher struct {
	engine *regexp2.Regexp
	shape  *shape
	budget *Budget
	units  []rune // the subject; the array is used again
}

// Matcher prepares to match within b. Compiling, which happens once for a
// pattern, is paid from b.
func (re *Regexp) Matcher(b *Budget) (*Matcher, error) {
	if b.Left <= 0 {
		return nil, ErrBudget
	}
	start := time.Now()
	engine, err := re.load()
	b.Left -= min(time.Since(start), maxCompile)
	if err != nil {
		return nil, err
	}
	own := *engine // MatchTimeout is this matcher's; everything else is shared
	return &Matcher{engine: &own, shape: re.shape, budget: b}, nil
}

// Match reports whether the pattern matches anywhere in s. The errors are
// [ErrBudget] and one that says that the match needed too much memory.
func (m *Matcher) Match(s string) (bool, error) {
	if m.budget.Left <= 0 {
		return false, ErrBudget
	}
	start := time.Now()
	m.units = subject(m.units[:0], s)
	m.engine.MatchTimeout = regexp2.DefaultMatchTimeout // none
	longest := m.budget.Left
	if m.shape.cheap(len(m.units)) {
		longest = maxCheap
	} else {
		// regexp2 adds a tick to every timeout.
		m.engine.MatchTimeout = max(m.budget.Left-timerPeriod, time.Millisecond)
	}
	ok, err := m.engine.MatchRunes(m.units)
	m.budget.Left -= min(time.Since(start), longest)
	switch {
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return false, errors.New("the match needs more memory than one match may have")
	case err != nil: // regexp2's only other error is its timeout
		m.budget.Left = 0
		return false, ErrBudget
	}
	return ok, nil
}
