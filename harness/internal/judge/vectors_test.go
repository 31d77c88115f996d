package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
)

const (
	coerced   = "a fact of another type is refused when facts are read, not coerced"
	prototype = "Object.prototype is no fact"
)

// refused lists the judged cases that this package answers otherwise on
// purpose, all of them of JavaScript's coercion or of its prototypes.
var refused = map[string]string{
	"shape-0041":            coerced,
	"url-0075":              coerced,
	"url-0076":              coerced,
	"dom_text-0091":         coerced,
	"dom_text-0092":         coerced,
	"dom_text-0094":         coerced,
	"dom_text-0095":         coerced,
	"dom_text-0098":         coerced,
	"dom_text-0100":         coerced,
	"dom_text-0101":         coerced,
	"dom_text-0102":         prototype,
	"dom_text-0104":         prototype,
	"dom_text-0105":         prototype,
	"dom_count-0085":        coerced,
	"dom_count-0088":        coerced,
	"dom_count-0094":        coerced,
	"dom_count-0095":        coerced,
	"dom_count-0096":        coerced,
	"dom_count-0097":        coerced,
	"dom_count-0101":        coerced,
	"dom_count-0102":        coerced,
	"dom_count-0103":        prototype,
	"network-0109":          coerced,
	"no_dialog-0005":        coerced,
	"no_dialog-0007":        coerced,
	"no_dialog-0009":        coerced,
	"screenshot_class-0130": coerced,
}

// vector is a case that OpenChrome 1.15's own validator and oc_assert judged.
type vector struct {
	ID      string                  `json:"id"`
	Quirk   bool                    `json:"quirk"`
	V8Text  bool                    `json:"v8_text"`      // an error text is V8's or zlib's: its kind counts
	FP      bool                    `json:"fp_sensitive"` // a bit of the pHash is decided by rounding
	Classes map[string]*vectorClass `json:"classes"`
	Input   struct {
		Assertion  json.RawMessage `json:"assertion"`
		Snapshot   json.RawMessage `json:"snapshot"`
		Provenance map[string]any  `json:"provenance"`
		SessionID  *string         `json:"session_id"`
		NowMS      *int64          `json:"now_ms"`
		Context    *struct {
			Answer     string `json:"answer"`
			NoSampling bool   `json:"no_sampling"`
		} `json:"context"`
	} `json:"input"`
	Output json.RawMessage `json:"output"`
}

type vectorClass struct {
	Exemplars map[string]string `json:"exemplars"` // nil: no such folder
	Threshold *string           `json:"threshold_json"`
}

// vectorFiles are the case files: the committed one and those named by
// OPENCHROME_BENCH_VECTORS.
func vectorFiles() []string {
	files := []string{filepath.Join("testdata", "vectors.jsonl")}
	for _, f := range filepath.SplitList(os.Getenv("OPENCHROME_BENCH_VECTORS")) {
		if f != "" {
			files = append(files, f)
		}
	}
	return files
}

func readVectors(t testing.TB, file string) []vector {
	t.Helper()
	data := need.Read(t, file)
	var all []vector
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, len(data)+1)
	for sc.Scan() {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var v vector
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		t.Fatalf("%s holds no cases", file)
	}
	return all
}

func TestVectors(t *testing.T) {
	for i, file := range vectorFiles() {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ids := map[string]bool{}
			for _, v := range readVectors(t, file) {
				ids[v.ID] = true
				t.Run(v.ID, func(t *testing.T) { v.check(t, i == 0) })
			}
			for id := range refused {
				if i == 0 && !ids[id] {
					t.Errorf("refused case %s does not exist", id)
				}
			}
		})
	}
}

// check is strict with the committed cases: those that are refused are all in
// the table. Of others one that is flagged quirk may be answered otherwise.
func (v vector) check(t *testing.T, committed bool) {
	diff := v.diff(t)
	reason, known := refused[v.ID]
	switch {
	case known && !v.Quirk:
		t.Fatal("only cases flagged quirk may be refused")
	case known && diff == "":
		t.Fatal("the case is listed as refused, but the answer is right: take it off the list")
	case known:
		t.Skipf("refused: %s", reason)
	case diff != "" && v.Quirk && !committed:
		t.Skipf("quirk, not supported:\n%s", diff)
	case diff != "":
		t.Errorf("judged otherwise than OpenChrome (-want +got):\n%s", diff)
	}
}

// diff judges the case and compares the whole answer, keys in their order.
func (v vector) diff(t testing.TB) string {
	root := v.makeClasses(t)
	got, err := v.answer(root)
	if err != nil {
		return "facts refused: " + err.Error()
	}
	want := mustDecode(t, bytes.ReplaceAll(v.Output, []byte("{{CLASSES_DIR}}"), []byte(root)))
	have := mustDecode(t, got)
	if v.V8Text {
		want, have = kindsOnly(want), kindsOnly(have)
	}
	if v.FP {
		want, have = withoutKeys(want, "distance", "nearest_exemplar"), withoutKeys(have, "distance", "nearest_exemplar")
	}
	return cmp.Diff(lines(t, want), lines(t, have))
}

// lines writes v with a line for each value: cmp takes for ever on trees as
// deep as contracts can be.
func lines(t testing.TB, v any) []string {
	t.Helper()
	var b bytes.Buffer
	need.OK(t, json.Indent(&b, evidence.AppendJSON(nil, v), "", " "))
	return strings.Split(b.String(), "\n")
}

// answer gives the judgement in the form of a case's output.
func (v vector) answer(root string) ([]byte, error) {
	type validation struct {
		OK     bool    `json:"ok"`
		Errors []Fault `json:"errors"`
	}
	out := struct {
		Validation *validation `json:"validation"`
		Judgement
	}{}
	in, err := v.input(root)
	if err != nil {
		return nil, err
	}
	if v.Input.Assertion == nil {
		out.Judgement = Judge(nil, in)
		return json.Marshal(out)
	}
	c, faults := Parse(v.Input.Assertion)
	out.Validation = &validation{OK: c != nil, Errors: append([]Fault{}, faults...)}
	if c == nil {
		out.Judgement = Refused(faults)
	} else {
		out.Judgement = Judge(c, in)
	}
	return json.Marshal(out)
}

func (v vector) input(root string) (Input, error) {
	in := Input{SessionID: "session-a", Now: time.UnixMilli(1700000010000), ClassesDir: root}
	if v.Input.SessionID != nil {
		in.SessionID = *v.Input.SessionID
	}
	if v.Input.NowMS != nil {
		in.Now = time.UnixMilli(*v.Input.NowMS)
	}
	in.Provenance.TargetID, _ = v.Input.Provenance["target_id"].(string)
	if c := v.Input.Context; c != nil {
		in.image = &imageAnswer{text: c.Answer}
		if c.NoSampling {
			in.image.unsupported = "sampling capability not advertised by client"
		}
	}
	switch string(v.Input.Snapshot) {
	case "", "null", "0", `""`, "false": // what JavaScript takes for false
		return in, nil
	}
	in.Facts = &evidence.Facts{}
	return in, json.Unmarshal(v.Input.Snapshot, in.Facts)
}

// makeClasses lays out the case's screenshot classes.
func (v vector) makeClasses(t testing.TB) string {
	t.Helper()
	if len(v.Classes) == 0 {
		return filepath.Join(os.TempDir(), "openchrome-bench-no-classes")
	}
	root := t.TempDir()
	write := func(path, text string) {
		need.Write(t, path, text)
	}
	for id, class := range v.Classes {
		if class == nil {
			continue
		}
		dir := filepath.Join(root, id)
		exemplars := filepath.Join(dir, "exemplars")
		need.OK(t, os.MkdirAll(map[bool]string{true: exemplars, false: dir}[class.Exemplars != nil], 0o755))
		for name, hash := range class.Exemplars {
			write(filepath.Join(exemplars, name+".hash"), hash)
		}
		if class.Threshold != nil {
			write(filepath.Join(dir, "threshold.json"), *class.Threshold)
		}
	}
	return root
}

func mustDecode(t testing.TB, data []byte) any {
	t.Helper()
	v, err := decodeJSON(data)
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// kindsOnly cuts error texts at their first colon.
func kindsOnly(v any) any {
	return rewriteKeys(v, func(m evidence.Detail) (any, bool) {
		s, ok := m.Value.(string)
		if ok && (m.Key == "message" || m.Key == "error" || m.Key == "inconclusive_reason") {
			before, _, _ := strings.Cut(s, ":")
			return before, true
		}
		return m.Value, true
	})
}

func withoutKeys(v any, keys ...string) any {
	return rewriteKeys(v, func(m evidence.Detail) (any, bool) {
		for _, k := range keys {
			if m.Key == k {
				return nil, false
			}
		}
		return m.Value, true
	})
}

func rewriteKeys(v any, f func(evidence.Detail) (any, bool)) any {
	switch v := v.(type) {
	case evidence.Details:
		out := evidence.Details{}
		for _, m := range v {
			if value, keep := f(m); keep {
				out = append(out, evidence.Detail{Key: m.Key, Value: rewriteKeys(value, f)})
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = rewriteKeys(e, f)
		}
		return out
	}
	return v
}
