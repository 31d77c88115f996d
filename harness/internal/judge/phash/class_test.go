package phash

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

const (
	loginA = 0xb864b4b4e4b434ed
	loginB = 0x9864bcb464bcb4e5
	loginC = 0x38e4bc34e4b434ed
)

// files maps paths below the folder of class "c" to contents; a path that ends
// in a slash is a folder.
type files map[string]string

func (f files) write(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range f {
		path := filepath.Join(root, "c", name)
		dir := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			dir = path
		}
		need.OK(t, os.MkdirAll(dir, 0o777))
		if strings.HasSuffix(name, "/") {
			continue
		}
		need.Write(t, path, text)
	}
	return root
}

func TestLoadClass(t *testing.T) {
	const a, b = "b864b4b4e4b434ed", "9864bcb464bcb4e5"
	tests := []struct {
		name string
		dir  files
		want Class
		err  string
	}{
		{
			name: "as taught",
			dir: files{
				"threshold.json":      "{\n  \"value\": 9,\n  \"hash_bits\": 64,\n  \"exemplar_count\": 2\n}\n",
				"exemplars/0001.hash": b, "exemplars/0001.png": "",
				"exemplars/0000.hash": a, "exemplars/0000.png": "",
			},
			want: Class{[]Exemplar{{"0000", loginA}, {"0001", loginB}}, 9},
		},
		{
			name: "no threshold, two exemplars",
			dir:  files{"exemplars/0.hash": a, "exemplars/1.hash": b},
			want: Class{[]Exemplar{{"0", loginA}, {"1", loginB}}, 8},
		},
		{
			name: "upper case and white space",
			dir:  files{"threshold.json": `{"value":0}`, "exemplars/x.hash": "\ufeff  B864B4B4E4B434ED\u00a0\r\n"},
			want: Class{[]Exemplar{{"x", loginA}}, 0},
		},
		{
			name: "file names in order of UTF-16 units, suffix included",
			dir: files{
				"exemplars/9.hash": a, "exemplars/10.hash": a, "exemplars/1.hash": a, "exemplars/1-.hash": a,
				"exemplars/\U0001F600.hash": a, "exemplars/\uff5e.hash": a, "exemplars/.hash": a,
				"exemplars/b.HASH": "no", "exemplars/b.hash.bak": "no",
			},
			want: Class{[]Exemplar{
				{"", loginA}, {"1-", loginA}, {"1", loginA}, {"10", loginA}, {"9", loginA}, {"\U0001F600", loginA}, {"\uff5e", loginA},
			}, 8},
		},
		{
			name: "other fields, last value counts",
			dir:  files{"exemplars/0.hash": a, "threshold.json": `{"Value":1,"value":2,"x":[],"value":64.0}`},
			want: Class{[]Exemplar{{"0", loginA}}, 64},
		},

		{"empty folder", files{"./": ""}, Class{}, "cannot score against empty class 'c'"},
		{"no hash files", files{"exemplars/0.png": a}, Class{}, "cannot score against empty class 'c'"},
		{"class is a file", files{"": ""}, Class{}, "cannot score against empty class 'c'"},
		{"threshold before emptiness", files{"threshold.json": `{"value":65}`}, Class{}, "invalid threshold.json for class 'c': value=65"},
		{"hash too short", files{"exemplars/0.hash": a[1:]}, Class{}, "corrupt exemplar hash '0.hash': invalid pHash hex: " + a[1:]},
		{"hash too long", files{"exemplars/0.hash": "0" + a}, Class{}, "corrupt exemplar hash '0.hash': invalid pHash hex: 0" + a},
		{"hash of zeros too long", files{"exemplars/0.hash": "00000000000000000"}, Class{}, "corrupt exemplar hash '0.hash': invalid pHash hex: 00000000000000000"},
		{"no hex", files{"exemplars/0.hash": "0xb864b4b4e4b434"}, Class{}, "corrupt exemplar hash '0.hash': invalid pHash hex: 0xb864b4b4e4b434"},
		{"hash signed", files{"exemplars/0.hash": "+864b4b4e4b434ed"}, Class{}, "corrupt exemplar hash '0.hash': invalid pHash hex: +864b4b4e4b434ed"},
		{"next line is no white space", files{"exemplars/0.hash": a + "\u0085"}, Class{}, "corrupt exemplar hash '0.hash': invalid pHash hex: " + a + "\u0085"},
		{"empty hash", files{"exemplars/0.hash": ""}, Class{}, "corrupt exemplar hash '0.hash': invalid pHash hex: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := LoadClass(tt.dir.write(t), "c")
			if text := errText(err); text != tt.err {
				t.Fatalf("error %q, want %q", text, tt.err)
			}
			need.Equal(t, "", tt.want, got)
		})
	}
}

func TestLoadClassID(t *testing.T) {
	root := t.TempDir()
	for _, id := range []string{"", ".", "..", "a/b", `a\b`, "é", "x\n", "a b"} {
		want := "invalid class_id '" + id + "' — must match /^[A-Za-z0-9._-]+$/ and not be '.' or '..'"
		if _, err := LoadClass(root, id); errText(err) != want {
			t.Errorf("id %q: error %q, want %q", id, errText(err), want)
		}
	}
	for _, id := range []string{"...", "A-Z_0.9", "missing-class"} {
		want := "screenshot class '" + id + "' not found at " + filepath.Join(root, id)
		if _, err := LoadClass(root, id); errText(err) != want {
			t.Errorf("id %q: error %q, want %q", id, errText(err), want)
		}
	}
}

// Errors of the file system and of text that is not what a class holds have
// words of their own; only that they come, and name the file, counts.
func TestLoadClassUnreadable(t *testing.T) {
	tests := []struct {
		name string
		dir  files
		want string
	}{
		{"exemplars is a file", files{"exemplars": ""}, "exemplars: "},
		{"hash is a folder", files{"exemplars/0.hash/": ""}, "exemplar hash '0.hash': "},
		{"hash is large", files{"exemplars/0.hash": strings.Repeat(" ", 4097)}, "it is larger than 4096 bytes"},
		{"threshold is a folder", files{"threshold.json/": ""}, "threshold.json for class 'c': "},
		{"threshold is large", files{"threshold.json": strings.Repeat(" ", 4097)}, "it is larger than 4096 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			need.Fails(t, need.Err(LoadClass(tt.dir.write(t), "c")), tt.want)
		})
	}
}

func TestNearest(t *testing.T) {
	order := Class{Exemplars: []Exemplar{{"10", loginA}, {"9", loginA}}}
	login := Class{Exemplars: []Exemplar{{"0000", loginA}, {"0001", loginB}, {"0002", loginC}}}
	tests := []struct {
		name     string
		class    Class
		hash     uint64
		distance int
		exemplar string
	}{
		{"same", login, loginA, 0, "0000"},
		{"nearest of three", login, 0xfc64bcb424bcb425, 6, "0001"},
		{"first of equal ones", order, 0x75a33f35a9809b13, 36, "10"},
		{"all bits differ", Class{Exemplars: []Exemplar{{"0", 0}}}, math.MaxUint64, 64, "0"},
		{"no exemplar", Class{}, 0, 65, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d, name := tt.class.Nearest(tt.hash); d != tt.distance || name != tt.exemplar {
				t.Errorf("got %d %q, want %d %q", d, name, tt.distance, tt.exemplar)
			}
		})
	}
}
