package judge

import (
	"time"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/phash"
)

// screenshot_class holds if the screenshot looks like a screenshot of the class.
var screenshotKind = kind{
	name: "screenshot_class", fields: []string{"kind", "class_id", "distance_max"}, fact: evidence.FactScreenshot,
	read: func(a *assertion) leaf {
		s := &screenshotClass{classID: a.text("class_id")}
		typed := !a.bad
		s.distanceMax = a.number("distance_max", "an integer in [0,64]", func(v float64) bool { return evidence.IsInteger(v) && v >= 0 && v <= 64 })
		a.stop()
		if typed && !phash.ValidID(s.classID) {
			a.fault("class_id", a.o.Get("class_id"), slip{message: "class_id may only contain alphanumerics, dot, underscore, hyphen and must not be '.' or '..'"})
		}
		return s
	},
}

type screenshotClass struct {
	classID     string
	distanceMax float64 // bits of the perceptual hash
}

func (a *screenshotClass) judge(j *judging) (bool, evidence.Details) {
	if j.facts.ScreenshotPNG == "" {
		return false, evidence.Details{{Key: "class_id", Value: a.classID}, {Key: "reason", Value: "no screenshot available"}}
	}
	hash, err := phash.Hash(phash.DecodeBase64(j.facts.ScreenshotPNG), j.start.Add(hashLimit))
	if err != nil {
		return false, failure(err)
	}
	j.work += classWork
	class, ok := j.in.Classes[a.classID]
	if !ok {
		if class, err = phash.LoadClass(j.in.ClassesDir, a.classID); err != nil {
			return false, failure(err)
		}
	}
	distance, nearest := class.Nearest(hash)
	return float64(distance) <= a.distanceMax, evidence.Details{
		{Key: "class_id", Value: a.classID},
		{Key: "distance", Value: float64(distance)},
		{Key: "distance_max", Value: a.distanceMax},
		{Key: "threshold_recommended", Value: float64(class.Threshold)},
		{Key: "nearest_exemplar", Value: nearest},
	}
}

// hashLimit is how long after the start of a judgement we stop hashing a hostile image. A
// normal screenshot takes a few milliseconds, and 200 on a busy machine.
const hashLimit = 2 * time.Second

// classWork is the work for reading a class from disk, in bytes.
const classWork = 1 << 18

func (a *screenshotClass) want() string {
	return "the screenshot is within " + evidence.JSON(a.distanceMax) + " bits of class " + a.classID
}

func (a *screenshotClass) got(d evidence.Details) string {
	if reason := d.Text("reason"); reason != "" {
		return reason
	}
	return d.JSON("distance") + " bits from exemplar " + clean(d.Text("nearest_exemplar"))
}
