package task

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Limits of a task's fields; the limits of the caps are in spec.go.
const (
	maxID       = 100    // bytes; an id becomes part of file names
	maxViewport = 10_000 // CSS pixels per side
	maxRevision = 1_000_000
)

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// reader reads one task.json into spec.
type reader struct {
	file    *jsonfile.File
	spec    *Spec
	options Options
}

func (r *reader) read(root *jsonfile.Node) {
	s, f := r.spec, r.file
	s.MaxSteps, s.MaxDurationMs, s.Category, s.Revision = DefaultMaxSteps, DefaultMaxDurationMs, Categories[0], 1
	f.Fields(root,
		jsonfile.Field{Name: "id", Required: true, Read: r.id},
		jsonfile.Field{Name: "title", Required: true, Read: func(n *jsonfile.Node) { s.Title = r.line(n) }},
		jsonfile.Field{Name: "startUrl", Required: true, Read: r.startURL},
		jsonfile.Field{Name: "goal", Required: true, Read: func(n *jsonfile.Node) { s.Goal = f.Text(n) }},
		jsonfile.Field{Name: "success", Required: true, Read: r.success},
		jsonfile.Field{Name: "maxSteps", Read: func(n *jsonfile.Node) { s.MaxSteps = f.Int(n, 1, LimitMaxSteps) }},
		jsonfile.Field{Name: "maxDurationMs", Read: func(n *jsonfile.Node) { s.MaxDurationMs = f.Int(n, 1, LimitMaxDurationMs) }},
		jsonfile.Field{Name: "setup", Read: r.setup},
		jsonfile.Field{Name: "tags", Read: r.tags},
		jsonfile.Field{Name: "category", Read: func(n *jsonfile.Node) { s.Category = f.OneOf(n, Categories) }},
		jsonfile.Field{Name: "mechanics", Read: func(n *jsonfile.Node) { s.Mechanics = r.line(n) }},
		jsonfile.Field{Name: "revision", Read: func(n *jsonfile.Node) { s.Revision = f.Int(n, 1, maxRevision) }},
		jsonfile.Field{Name: "$schema", Read: func(n *jsonfile.Node) { f.Text(n) }},
	)
	if r.options.MaxSteps != 0 {
		s.MaxSteps = r.options.MaxSteps
	}
	if r.options.MaxDuration != 0 {
		s.MaxDurationMs = int(r.options.MaxDuration.Milliseconds())
	}
}

func (r *reader) success(n *jsonfile.Node) {
	r.spec.Success = judge.Read(r.file, n)
	r.undecided(n)
}

// undecided adds a warning or a fault for each assertion that no episode can decide.
func (r *reader) undecided(n *jsonfile.Node) {
	kind, metric, unit := evidence.StringAt(n, "kind"), evidence.StringAt(n, "metric"), evidence.StringAt(n, "unit")
	switch want, known := evidence.Metrics[metric]; {
	case kind == "image_qa":
		r.spec.Warnings = append(r.spec.Warnings, r.file.Remark(n,
			"image_qa needs a vision model; this harness has none, so the episode will be inconclusive"))
	case kind != "performance" || !evidence.MetricForm.MatchString(metric): // it has a fault already
	case !known:
		near := display.Nearest(metric, slices.Sorted(maps.Keys(evidence.Metrics)), 3)
		r.file.FaultAt(n.Get("metric"), "OpenChrome has no metric %s; the nearest are %s",
			display.Quote(metric), strings.Join(near, ", "))
	case slices.Contains(evidence.MetricUnits, unit) && unit != want:
		r.file.FaultAt(n.Get("unit"), "is %s, but %s is measured in %s", display.Quote(unit), metric, want)
	}
	for _, child := range n.Items {
		r.undecided(child)
	}
}

func (r *reader) id(n *jsonfile.Node) {
	id := r.file.Text(n)
	switch {
	case strings.TrimSpace(id) == "":
		return // the fault is already reported
	case !idPattern.MatchString(id) || len(id) > maxID:
		r.file.Wrong(n, fmt.Sprintf("at most %d characters a-z, 0-9 and -, beginning with a letter or digit", maxID))
	case id != r.spec.Folder.Name:
		r.file.FaultAt(n, "is %s but its folder is %s; give both the same name", display.Quote(id), display.Quote(r.spec.Folder.Name))
	}
	r.spec.ID = id
}

// line reads a text of one line, for lists.
func (r *reader) line(n *jsonfile.Node) string {
	text := r.file.Text(n)
	if strings.ContainsFunc(text, unicode.IsControl) {
		r.file.FaultAt(n, "has a line break or another control character, want one line of text")
	}
	return text
}

func (r *reader) setup(n *jsonfile.Node) {
	setup := &r.spec.Setup
	side := func(size *int) func(*jsonfile.Node) {
		return func(n *jsonfile.Node) { *size = r.file.Int(n, 1, maxViewport) }
	}
	r.file.Fields(n,
		jsonfile.Field{Name: "clearCookies", Read: func(n *jsonfile.Node) { setup.ClearCookies = r.file.Bool(n) }},
		jsonfile.Field{Name: "viewport", Read: func(n *jsonfile.Node) {
			setup.Viewport = new(Viewport)
			r.file.Fields(n,
				jsonfile.Field{Name: "width", Required: true, Read: side(&setup.Viewport.Width)},
				jsonfile.Field{Name: "height", Required: true, Read: side(&setup.Viewport.Height)},
			)
		}},
	)
}

func (r *reader) tags(n *jsonfile.Node) {
	r.spec.Tags = nil
	r.file.Array(n, "strings", func(n *jsonfile.Node) {
		tag := r.line(n)
		switch {
		case strings.Contains(tag, ","):
			r.file.FaultAt(n, "has a comma, which separates tags on the command line; split it into two tags")
		case tag != "" && tag != strings.TrimSpace(tag):
			r.file.Wrong(n, "no white space around it")
		case tag != "" && slices.Contains(r.spec.Tags, tag):
			r.file.FaultAt(n, "the tag %s appears twice; remove one", display.Quote(tag))
		case suiteTag(tag) && r.spec.Suite() != "":
			r.file.FaultAt(n, "the tags %s and %s both name a suite; remove one (core includes smoke)", r.spec.Suite(), tag)
		}
		r.spec.Tags = append(r.spec.Tags, tag)
	})
}

func (r *reader) startURL(n *jsonfile.Node) {
	text := r.file.Text(n)
	r.spec.StartURL = text
	if strings.TrimSpace(text) == "" {
		return // the fault is already reported
	}
	u, err := url.Parse(text)
	if err != nil || text != strings.TrimSpace(text) || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		r.file.Wrong(n, "a URL such as https://example.com/")
		return
	}
	r.address(n, u)
}

// address checks the host and port of a start URL.
func (r *reader) address(n *jsonfile.Node, u *url.URL) {
	if u.User != nil {
		r.file.FaultAt(n, "has a user name or password before the @, want a URL without one")
	}
	if r.options.LiveWeb {
		return
	}
	host := strings.ToLower(u.Hostname())
	if strings.HasSuffix(u.Host, ":") || u.Port() != "" {
		r.file.FaultAt(n, "has a port; remove it: fixture sites are reached by their names, without a port")
	}
	if slices.Contains(r.options.Draws, host) && !slices.Contains(r.spec.Sites, host) {
		r.file.FollowsAt(n, `the pages of %s show drawn values; list the host in "sites" of %s`, host, param.FileName)
	}
	if hosts := r.options.Hosts; hosts != nil && !slices.Contains(hosts, host) {
		near := strings.Join(display.Nearest(host, hosts, 3), ", ")
		r.file.FaultAt(n, "the host %s is not a fixture site; the nearest of %d are %s; add a site with -sites, "+
			"or use the real web with -web=live", display.Quote(host), len(hosts), near)
	}
}
