package task

import (
	"testing"
	"testing/fstest"

	"github.com/openchrome/bench/harness/internal/judge/phash"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestReadClasses(t *testing.T) {
	hash := &fstest.MapFile{Data: []byte("0607fd070607f9f9\n")}
	for _, test := range []struct {
		name  string
		files fstest.MapFS
		want  map[string]phash.Class
		fault string
	}{
		{"none", fstest.MapFS{"t/task.json": hash}, nil, ""},
		{"one", fstest.MapFS{"t/classes/cart/exemplars/a.hash": hash, "t/classes/cart/threshold.json": {Data: []byte(`{"value": 5}`)}},
			map[string]phash.Class{"cart": {Exemplars: []phash.Exemplar{{Name: "a", Hash: 0x0607fd070607f9f9}}, Threshold: 5}}, ""},
		{"no exemplar", fstest.MapFS{"t/classes/cart/threshold.json": {Data: []byte(`{"value": 5}`)}}, nil,
			"fixtures/t/classes/cart: cannot score against empty class 'cart'"},
		{"no hash", fstest.MapFS{"t/classes/cart/exemplars/a.hash": {Data: []byte("no")}}, nil,
			"fixtures/t/classes/cart: corrupt exemplar hash 'a.hash': invalid pHash hex: no"},
		{"a file", fstest.MapFS{"t/classes/cart": hash}, nil,
			"fixtures/t/classes/cart: is not the folder of a screenshot class, whose name has only…"},
		{"a file in place of the folder", fstest.MapFS{"t/classes": hash}, nil, "fixtures/t/classes: is not a folder of screenshot classes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Spec{Folder: Source{"fixtures", test.files}.Folder("t")}
			faults := s.readClasses()
			if got := faults.Error(); len(faults) > 0 && got != test.fault || len(faults) == 0 && test.fault != "" {
				t.Errorf("faults %q, want %q", got, test.fault)
			}
			if test.fault == "" {
				need.Equal(t, "", test.want, s.Classes)
			}
		})
	}
}
