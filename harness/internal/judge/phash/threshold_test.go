package phash

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestThresholdFile(t *testing.T) {
	tests := []struct {
		json  string
		want  int
		value string // in the error, "" for none; "?" for an error with other words
	}{
		{`{"value":0}`, 0, ""},
		{`{"value":64}`, 64, ""},
		{`{"value":1.2e1}`, 12, ""},
		{`{"value":-0}`, 0, ""},
		{" {\"value\":8}\r\n", 8, ""},
		{`{"value":-1}`, 0, "-1"},
		{`{"value":99}`, 0, "99"},
		{`{"value":4.5}`, 0, "4.5"},
		{`{"value":64.5}`, 0, "64.5"},
		{`{"value":1e21}`, 0, "1e+21"},
		{`{"value":100000000000000000000}`, 0, "100000000000000000000"},
		{`{"value":1e-7}`, 0, "1e-7"},
		{`{"value":"8"}`, 0, "8"},
		{`{"value":null}`, 0, "null"},
		{`{"value":true}`, 0, "true"},
		{`{"value":{}}`, 0, "[object Object]"},
		{`{"value":[1,null,["a",{}]]}`, 0, "1,,a,[object Object]"},
		{`{}`, 0, "undefined"},
		{`{"Value":8}`, 0, "undefined"},
		{`[8]`, 0, "undefined"},
		{`8`, 0, "undefined"},
		{`"8"`, 0, "undefined"},
		{`null`, 0, "undefined"},
		{``, 0, "?"},
		{`{"value":8`, 0, "?"},
		{`{"value":8}}`, 0, "?"},
		{`{value:8}`, 0, "?"},
		{"\ufeff{\"value\":8}", 0, "?"},
		{`{"value":1e400}`, 0, "Infinity"},
	}
	for _, tt := range tests {
		t.Run(tt.json, func(t *testing.T) {
			root := files{"threshold.json": tt.json, "exemplars/0.hash": "b864b4b4e4b434ed"}.write(t)
			c, err := LoadClass(root, "c")
			switch text := errText(err); {
			case tt.value == "?":
				need.Begins(t, text, "threshold.json for class 'c': ")
			case tt.value != "":
				need.Is(t, "error", "invalid threshold.json for class 'c': value="+tt.value, text)
			case err != nil || c.Threshold != tt.want:
				t.Errorf("got %d, error %v; want %d", c.Threshold, err, tt.want)
			}
		})
	}
}
