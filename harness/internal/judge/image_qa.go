package judge

import (
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// image_qa holds if a vision model's answer to a question about the screenshot matches a
// pattern. The harness has no such model.
var imageKind = kind{
	name: "image_qa", fields: []string{"kind", "question", "expected_pattern"}, fact: evidence.FactImageQA,
	read: func(a *assertion) leaf {
		q := &imageQA{question: a.text("question")}
		if a.o.Get("expected_pattern").Is(jsonfile.String) {
			a.stop() // OpenChrome compiles the pattern only if both fields are strings
		}
		q.pattern = a.pattern("expected_pattern")
		return q
	},
}

type imageQA struct {
	question string
	pattern  *jsregexp.Regexp
}

// imageAnswer is the answer of a host's model. Only OpenChrome's vectors have one.
type imageAnswer struct {
	text        string
	unsupported string // why the host has no answer; "" when it has one
}

func (a *imageQA) judge(j *judging) (bool, evidence.Details) {
	host := j.in.image
	refuse := func(reason string, more ...evidence.Detail) (bool, evidence.Details) {
		d := append(evidence.Details{{Key: "error", Value: reason}, {Key: "reason", Value: reason}}, more...)
		return false, append(d, evidence.Detail{Key: "question", Value: a.question})
	}
	switch {
	case host == nil:
		return refuse("host_runtime_did_not_wire_imageQaSample")
	case j.facts.ScreenshotPNG == "":
		return refuse("no_screenshot_available")
	case host.unsupported != "":
		return refuse("unsupported_by_host", evidence.Detail{Key: "host_reason", Value: host.unsupported})
	}
	ok, err := j.matches(a.pattern, host.text)
	if err != nil {
		return false, failure(err)
	}
	return ok, evidence.Details{{Key: "question", Value: a.question}, {Key: "answer", Value: host.text}, {Key: "expected_pattern", Value: a.pattern.String()}}
}

func (a *imageQA) want() string {
	return "the answer to " + quote(a.question) + " matches /" + clean(a.pattern.String()) + "/"
}

func (a *imageQA) got(d evidence.Details) string { return quote(d.Text("answer")) }
