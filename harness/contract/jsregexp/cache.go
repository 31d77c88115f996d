package jsregexp

import "sync"

// cacheSize bounds the number of patterns that are kept. A suite has a few
// dozen; they are parsed once for a task file and again for a report.
const cacheSize = 256

var known = cache{patterns: map[string]*Regexp{}}

// cache keeps patterns by source. When it is full it is emptied: patterns
// are cheap to make again, and a hostile contract must not fill memory.
type cache struct {
	mu       sync.Mutex
	patterns map[string]*Regexp
}

func (c *cache) get(source string) *Regexp {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.patterns[source]
}

// put keeps re, or returns the pattern that another goroutine put first.
func (c *cache) put(re *Regexp) *Regexp {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.patterns[re.source]; first != nil {
		return first
	}
	if len(c.patterns) >= cacheSize {
		clear(c.patterns)
	}
	c.patterns[re.source] = re
	return re
}
