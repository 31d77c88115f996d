package record

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// The most that the log has of traces.
const (
	MaxControls     = 300      // of a page
	maxTrace        = 64 << 10 // bytes of a step
	maxEpisodeTrace = 1 << 20  // bytes of an episode
	maxKnown        = 10_000   // controls that are remembered from line to line
)

// Controls makes the traces of an episode small, one after the other, or whole again: a line of the log has
// of a control only what differs from the line before it. The zero value is for the first trace.
type Controls struct {
	known map[int]Control
	size  int
}

// Pack returns a trace as a line of the log, with at most [MaxControls] controls and 64 KiB. An episode
// has at most 1 MiB of them. Lost says what was cut.
func (c *Controls) Pack(t Trace) *Trace {
	for _, s := range []*Survey{&t.Before, &t.After} {
		if len(s.List) > MaxControls {
			*s = Survey{List: s.List[:MaxControls]}
			t.lose(fmt.Sprintf("controls after the first %d", MaxControls))
		}
	}
	c.bound()
	for room := min(maxTrace, maxEpisodeTrace-c.size); ; {
		before := maps.Clone(c.known)
		packed := t.with(c.small, c.packList, func(target string) string {
			if target == t.Tab {
				return ""
			}
			return target
		})
		raw, _ := json.Marshal(packed) // cannot fail
		if len(raw) <= room || !t.shorten() {
			c.size += len(raw)
			return &packed
		}
		c.known = before
	}
}

func (t *Trace) lose(what string) {
	if !slices.Contains(t.Lost, what) {
		t.Lost = append(slices.Clone(t.Lost), what)
	}
}

// shorten leaves out half of a trace's controls, then of its events from the end, then of its fields. It
// reports whether there was one.
func (t *Trace) shorten() bool {
	switch {
	case len(t.After.List) > 0:
		t.After = Survey{List: t.After.List[:len(t.After.List)/2]}
	case len(t.Before.List) > 0:
		t.Before = Survey{List: t.Before.List[:len(t.Before.List)/2]}
	case len(t.Events) > 0:
		t.Events, t.Deaf, t.Cut = t.Events[:len(t.Events)/2], true, true
	case len(t.Changed) > 0:
		t.Changed = t.Changed[:len(t.Changed)/2]
	default:
		return false
	}
	t.lose("what the log has no room for")
	return true
}

// with returns the trace with other controls, lists and targets, in the order in which they were read.
func (t Trace) with(one func(Control) Control, list func(Survey) Survey, target func(string) string) Trace {
	if t.Node != nil {
		t.Node = new(one(*t.Node))
	}
	t.Before = list(t.Before)
	t.Events = slices.Clone(t.Events)
	for i := range t.Events {
		e := &t.Events[i]
		if e.Target = target(e.Target); e.Control != nil {
			e.Control = new(one(*e.Control))
		}
		e.Fields = slices.Clone(e.Fields)
		for k := range e.Fields {
			e.Fields[k] = one(e.Fields[k])
		}
	}
	t.After = list(t.After)
	return t
}

// bound forgets all controls between two lines if there are too many: within a line, one may refer to another.
func (c *Controls) bound() {
	if c.known == nil || len(c.known) > maxKnown {
		c.known = map[int]Control{}
	}
}

// learn remembers a control, and returns what was known of it.
func (c *Controls) learn(one Control) (known Control, ok bool) {
	known, ok = c.known[one.ID]
	c.known[one.ID] = one
	return known, ok
}

// small returns a control without what is known of it.
func (c *Controls) small(one Control) Control {
	known, ok := c.learn(one)
	if known.Value, known.Box = one.Value, one.Box; ok && reflect.DeepEqual(known, one) {
		return Control{Element: Element{ID: one.ID, Value: one.Value, Box: one.Box}, Same: true}
	}
	return one
}

func (c *Controls) packList(s Survey) Survey {
	out := Survey{Whole: s.Whole}
	for _, one := range s.List {
		if n := len(out.Runs); n > 0 && out.Runs[n-2]+out.Runs[n-1] == one.ID {
			out.Runs[n-1]++
		} else {
			out.Runs = append(out.Runs, one.ID, 1)
		}
		if known, ok := c.known[one.ID]; !ok || !reflect.DeepEqual(known, one) {
			out.List = append(out.List, c.small(one))
		}
	}
	return out
}

// Unpack returns the trace that [Controls.Pack] got, but for what it cut, with [Element.Nth] and Of. The error
// says that the log lacks what the line refers to.
func (c *Controls) Unpack(line *Trace) (t Trace, err error) {
	c.bound()
	of := func(id int) Control {
		known, ok := c.known[id]
		if !ok {
			err = fmt.Errorf("trace of step %d: the log does not tell of control %d", line.Step, id)
		}
		return known
	}
	whole := func(one Control) Control {
		if one.Same {
			known := of(one.ID)
			known.Value, known.Box = one.Value, one.Box
			one = known
		}
		c.learn(one)
		return one
	}
	list := func(s Survey) Survey {
		for _, one := range s.List {
			whole(one)
		}
		out := Survey{Whole: s.Whole}
		for run := range slices.Chunk(s.Runs, 2) {
			for id := run[0]; id < run[0]+run[len(run)-1] && len(out.List) < MaxControls; id++ {
				out.List = append(out.List, of(id))
			}
		}
		alike := map[[3]string]int{}
		for i := range out.List {
			one := &out.List[i]
			key := [3]string{one.Doc, one.Role, one.Name}
			alike[key]++
			one.Nth = alike[key]
		}
		for i := range out.List {
			one := &out.List[i]
			if one.Of = alike[[3]string{one.Doc, one.Role, one.Name}]; one.Of == 1 || !s.Whole {
				one.Nth, one.Of = 0, 0
			}
			c.known[one.ID] = *one
		}
		return out
	}
	t = line.with(whole, list, func(target string) string {
		if target == "" {
			return line.Tab
		}
		return target
	})
	return t, err
}
