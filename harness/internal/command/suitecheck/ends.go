package suitecheck

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/web"
)

// The ends that checks want.

// mustFail finds a problem for each episode after which the contract holds, and a fault for
// each that was not judged. It only counts the episodes that the stand-in cannot play.
func mustFail(episodes ...played) (f finding) {
	for _, e := range episodes {
		switch {
		case e.refused:
			f.refused++
		case e.fault != "":
			f.faults = append(f.faults, notJudged(e))
		case e.holds:
			f.problem("%s: the contract holds", e.name)
		}
	}
	return f
}

// noneHolds wants that the contract holds after no episode.
func noneHolds(_ *proof, _ played, episodes []played) finding {
	f := mustFail(episodes...)
	for _, e := range episodes {
		if e.refused {
			f.faults = append(f.faults, notJudged(e))
		}
	}
	return f
}

// countFailed is the finding of [mustFail], with the number of episodes.
func countFailed(_ *proof, _ played, episodes []played) finding {
	f := mustFail(episodes...)
	f.detail = fmt.Sprint(len(episodes) - f.refused)
	return f
}

func notJudged(e played) string {
	return fmt.Sprintf("%s: not judged: %s", e.name, display.Cut(e.fault, 200))
}

func oraclePasses(_ *proof, _ played, episodes []played) (f finding) {
	for _, e := range episodes {
		if e.fault != "" || e.status != record.Passed {
			f.problem("%s: %s: %s", e.name, e.status, display.Cut(e.reason, 300))
		}
	}
	f.detail = fmt.Sprintf("%d of %d", len(episodes)-len(f.problems), len(episodes))
	f.problems = first(f.problems)
	return f
}

func first(problems []string) []string {
	if len(problems) < 2 {
		return problems
	}
	return []string{problems[0], fmt.Sprintf("and %d more", len(problems)-1)}
}

func forbiddenFail(p *proof, oracle played, episodes []played) finding {
	f := countFailed(p, oracle, episodes)
	switch why := p.unpassed(oracle); {
	case p.server().IsPeer() && len(p.forbids) == 0:
		return finding{skipped: "transcripts of forbidden acts are for OpenChrome"}
	case len(p.forbids) == 0 && p.marksWrong():
		f.problem("a host forbids acts, but there is no forbidden.NAME.jsonl")
	case len(p.forbids) > 0 && len(p.oracle) > 0 && why != "":
		f.problem("%s; so the forbidden act may not be the cause of the failure", why)
	}
	return f
}

// effects are the requests that may have an effect: they do not only read, and the web did not refuse them.
func effects(e played) []web.Request {
	return slices.DeleteFunc(slices.Clone(e.requests), func(r web.Request) bool {
		return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Status/100 == 4
	})
}

func twiceFails(_ *proof, oracle played, episodes []played) (f finding) {
	once := len(effects(oracle))
	for _, e := range episodes {
		if e.fault != "" || len(effects(e)) > once {
			f = mustFail(e)
		}
	}
	f.detail = fmt.Sprint(once)
	return f
}

// thenFails ignores the presses without an effect.
func thenFails(p *proof, oracle played, episodes []played) finding {
	once := len(effects(oracle))
	var acts []played
	for _, e := range episodes {
		sent := effects(e)
		if len(sent) > once {
			last := sent[len(sent)-1]
			e.name += ", which sends " + last.Method + " " + last.URL
		}
		if len(sent) > once || e.fault != "" {
			acts = append(acts, e)
		}
	}
	return countFailed(p, oracle, acts)
}

func noPartPasses(p *proof, oracle played, episodes []played) finding {
	if p.defect == "" {
		return finding{}
	}
	f := countFailed(p, oracle, episodes)
	f.problems = first(f.problems)
	return f
}

func inBounds(p *proof, _ played, episodes []played) finding {
	longest := 0.0
	for _, e := range episodes {
		longest = max(longest, e.ms)
	}
	f := finding{detail: fmt.Sprintf("%d of %d", len(p.oracle), p.task.MaxSteps)}
	if 2*len(p.oracle) > p.task.MaxSteps {
		f.problem("the transcript has %s; maxSteps is %d", display.Count(len(p.oracle), "line"), p.task.MaxSteps)
	}
	// With at most a hundred episodes, the longest is the 99th percentile.
	if longest > float64(p.task.MaxDurationMs)/4 {
		f.problem("an episode took %s; maxDurationMs is %d", display.Duration(longest), p.task.MaxDurationMs)
	}
	return f
}

func seedsDiffer(p *proof, _ played, episodes []played) finding {
	if len(p.task.Values) == 0 {
		return finding{problems: []string{"the task draws no values"}}
	}
	f := finding{detail: fmt.Sprint(seeds)}
	wanted := make(map[string]bool)
	for _, e := range episodes {
		if e.spec != nil {
			wanted[strings.Join(wantedValues(*e.spec), "\n")] = true
		}
		switch {
		case e.fault != "":
			f.faults = append(f.faults, notJudged(e))
		case e.holds != e.right || e.right && e.status != record.Passed:
			f.problem("%s: %s %s", e.name, e.status, display.Cut(e.reason, 200))
		}
	}
	f.problems, f.faults = first(f.problems), first(f.faults)
	if len(wanted) <= seeds/2 {
		f.problem("%d seeds have only %s of wanted values", seeds, display.Count(len(wanted), "set"))
	}
	return f
}
