package jsregexp

import "math"

// shape is what decides how long a match can take: an atom with its
// quantifier, or a group.
type shape struct {
	low, high int        // rounds; 1, 1 without a quantifier
	alts      [][]*shape // of a group: its alternatives, each a sequence
	plain     int        // atoms in the group that are no shapes themselves
	look      bool       // a look-ahead or look-behind
	ref       bool       // a back-reference, which compares a stretch of text
	anchored  bool       // the whole pattern, which can begin at the start only
}

// cheapSteps is the bound on steps below which a match is not watched: some
// 10 ms.
const cheapSteps = 1 << 20

// cheap reports whether a match on n code units is sure to end soon, wherever
// it tries and however it backtracks. Such a match needs no clock, and its
// outcome cannot depend on how busy the machine is. Nearly all patterns that
// people write are cheap on URLs.
func (s *shape) cheap(n int) bool {
	units := float64(n + 1)
	_, steps := s.bound(units)
	if s.anchored {
		return units+steps <= cheapSteps
	}
	return units*steps <= cheapSteps // not so when steps is infinite or NaN
}

// bound returns how many ways there are, at most, to match s from one place
// within n units, and how many steps it takes to try them all.
func (s *shape) bound(n float64) (ways, steps float64) {
	ways, steps = s.once(n)
	low := float64(s.low)
	rounds := min(float64(s.high), low+n) // past the required ones, each must consume something
	if ways == 1 {
		return rounds - low + 1, steps * rounds
	}
	// Sums of geometric series: ways^low to ways^rounds, 1 to ways^(rounds-1).
	return (math.Pow(ways, rounds+1) - math.Pow(ways, low)) / (ways - 1),
		steps * (math.Pow(ways, rounds) - 1) / (ways - 1)
}

// once is bound for a single round.
func (s *shape) once(n float64) (ways, steps float64) {
	if s.ref {
		return 1, n
	}
	if s.alts == nil {
		return 1, 1
	}
	for _, alt := range s.alts {
		ahead, cost := 1.0, 1.0 // ways to come this far, and steps spent
		for _, item := range alt {
			w, c := item.bound(n)
			cost += ahead * c
			ahead *= w
		}
		ways += ahead
		steps += cost + ahead*float64(s.plain)
	}
	if s.look {
		return 1, steps // a look-around is left for good once it holds
	}
	return ways, steps
}

// begin opens a group of the shape.
func (p *parser) begin() {
	p.shapes = append(p.shapes, &shape{low: 1, high: 1, alts: make([][]*shape, 1)})
}

// finish closes the innermost group and returns its shape.
func (p *parser) finish() *shape {
	s := p.shapes[len(p.shapes)-1]
	p.shapes = p.shapes[:len(p.shapes)-1]
	return s
}

// add puts s into the innermost group.
func (p *parser) add(s *shape) {
	g := p.shapes[len(p.shapes)-1]
	last := len(g.alts) - 1
	g.alts[last] = append(g.alts[last], s)
}

// alternative begins the next alternative of the innermost group.
func (p *parser) alternative() {
	g := p.shapes[len(p.shapes)-1]
	g.alts = append(g.alts, nil)
	if len(p.open) == 0 {
		p.altStart = p.pos
	}
}
