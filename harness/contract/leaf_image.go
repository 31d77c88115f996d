package contract

import (
	"time"

	"github.com/openchrome/bench/harness/contract/jsregexp"
	"github.com/openchrome/bench/harness/contract/phash"
)

// screenshotClass holds when the screenshot looks like one of a class.
type screenshotClass struct {
	classID     string
	distanceMax float64 // bits of the perceptual hash
}

func parseScreenshot(p *parser, o Details, path string) leaf {
	id, ok := p.str(o, "class_id", path)
	distance, isNumber := number(o, "distance_max")
	if !isNumber || !isInteger(distance) || distance < 0 || distance > 64 {
		p.fault(path+".distance_max", "expected integer in [0,64]")
		return nil
	}
	if !ok {
		return nil
	}
	if !isClassID(id) {
		p.fault(path+".class_id", "class_id may only contain alphanumerics, dot, underscore, hyphen and must not be '.' or '..'")
		return nil
	}
	return &screenshotClass{id, distance}
}

func isClassID(id string) bool {
	for i := range len(id) {
		if !isWord(id[i]) && id[i] != '.' && id[i] != '-' {
			return false
		}
	}
	return id != "" && id != "." && id != ".."
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

func (a *screenshotClass) need(n *Needs) { n.Screenshot = true }

func (a *screenshotClass) judge(j *judging) (bool, Details) {
	if d := j.unavailable(FactScreenshot); d != nil {
		return false, d
	}
	if j.facts.ScreenshotPNG == "" {
		return false, Details{{"class_id", a.classID}, {"reason", "no screenshot available"}}
	}
	hash, err := j.screenshotHash()
	if err != nil {
		return false, failure(err)
	}
	class, err := j.class(a.classID)
	if err != nil {
		return false, failure(err)
	}
	distance, nearest := class.Nearest(hash)
	return float64(distance) <= a.distanceMax, Details{
		{"class_id", a.classID},
		{"distance", float64(distance)},
		{"distance_max", a.distanceMax},
		{"threshold_recommended", float64(class.Threshold)},
		{"nearest_exemplar", nearest},
	}
}

// hashLimit is when, after the judgement began, an image that is made to take
// long is given up. A screenshot takes a few milliseconds.
const hashLimit = 200 * time.Millisecond

// screenshotHash computes the hash once for all assertions.
func (j *judging) screenshotHash() (uint64, error) {
	if !j.hashed {
		j.hashed = true
		j.hash, j.hashErr = phash.Hash(phash.DecodeBase64(j.facts.ScreenshotPNG), j.start.Add(hashLimit))
	}
	return j.hash, j.hashErr
}

// classWork is what reading a class from disk costs, in bytes.
const classWork = 1 << 18

// class reads each class once.
func (j *judging) class(id string) (phash.Class, error) {
	if c, ok := j.classes[id]; ok {
		return c.Class, c.err
	}
	j.work += classWork
	var c loadedClass
	c.Class, c.err = phash.LoadClass(j.in.ClassesDir, id)
	if j.classes == nil {
		j.classes = map[string]loadedClass{}
	}
	j.classes[id] = c
	return c.Class, c.err
}

type loadedClass struct {
	phash.Class
	err error
}

func (a *screenshotClass) expected() Details {
	return Details{{"class_id", a.classID}, {"distance_max", a.distanceMax}}
}

func (a *screenshotClass) actual(d Details) any { return d }

func (a *screenshotClass) want() string {
	return "the screenshot is within " + jsString(a.distanceMax) + " bits of class " + a.classID
}

func (a *screenshotClass) got(d Details) string {
	distance, ok := d.Get("distance")
	if !ok {
		return d.text("reason")
	}
	return jsString(distance) + " bits from exemplar " + clean(d.text("nearest_exemplar"))
}

// imageQA holds when the answer of a host's model to a question about the
// screenshot matches a pattern.
type imageQA struct {
	question string
	pattern  *jsregexp.Regexp
}

func parseImageQA(p *parser, o Details, path string) leaf {
	question, ok := p.str(o, "question", path)
	source, ok2 := p.str(o, "expected_pattern", path)
	if !ok || !ok2 {
		return nil
	}
	re, fault := checkPattern(source)
	if fault != "" {
		p.fault(path+".expected_pattern", fault)
		return nil
	}
	return &imageQA{question, re}
}

func (a *imageQA) need(n *Needs) { n.ImageQA = true }

func (a *imageQA) judge(j *judging) (bool, Details) {
	if d := j.unavailable(FactImageQA); d != nil {
		return false, d
	}
	host := j.in.ImageQA
	refuse := func(reason string, more ...Detail) (bool, Details) {
		d := append(Details{{"error", reason}, {"reason", reason}}, more...)
		return false, append(d, Detail{"question", a.question})
	}
	switch {
	case host == nil:
		return refuse("host_runtime_did_not_wire_imageQaSample")
	case j.facts.ScreenshotPNG == "":
		return refuse("no_screenshot_available")
	case host.Unsupported != "":
		return refuse("unsupported_by_host", Detail{"host_reason", host.Unsupported})
	}
	ok, err := j.matches(a.pattern, host.Answer)
	if err != nil {
		return false, failure(err)
	}
	return ok, Details{{"question", a.question}, {"answer", host.Answer}, {"expected_pattern", a.pattern.String()}}
}

func (a *imageQA) expected() Details {
	return Details{{"question", a.question}, {"expected_pattern", a.pattern.String()}}
}

func (a *imageQA) actual(d Details) any { return d }

func (a *imageQA) want() string {
	return "the answer to " + quote(a.question) + " matches /" + clean(a.pattern.String()) + "/"
}

func (a *imageQA) got(d Details) string { return quote(d.text("answer")) }
