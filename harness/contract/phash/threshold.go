package phash

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// defaultThreshold is recommended where no spread of exemplars is known.
const defaultThreshold = 8

// RecommendThreshold computes the value that OpenChrome stores in
// threshold.json when it is taught an exemplar: the mean distance between any
// two hashes plus two standard deviations, rounded, at least 4 and at most 16.
// For fewer than two hashes it is 8.
func RecommendThreshold(hashes []uint64) int {
	if len(hashes) < 2 {
		return defaultThreshold
	}
	var distances []float64
	var sum, squares float64
	for i, a := range hashes {
		for _, b := range hashes[i+1:] {
			d := float64(Distance(a, b))
			distances = append(distances, d)
			sum += d
		}
	}
	n := float64(len(distances))
	mean := sum / n
	for _, d := range distances {
		squares += float64((d - mean) * (d - mean))
	}
	// JavaScript rounds halves up; math.Round agrees for numbers above zero.
	rounded := math.Round(mean + float64(2*math.Sqrt(squares/n)))
	return int(max(4, min(16, rounded)))
}

// loadThreshold reads {"value": n} with n a whole number from 0 to 64. Other
// JSON than an object has no value, like in JavaScript.
func loadThreshold(path, id string) (int, error) {
	if !exists(path) {
		return defaultThreshold, nil
	}
	data, err := readSmall(path)
	if err != nil {
		return 0, fmt.Errorf("threshold.json for class '%s': %w", id, err)
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		return 0, fmt.Errorf("threshold.json for class '%s': %w", id, err)
	}
	if doc == nil {
		return 0, fmt.Errorf("threshold.json for class '%s': null holds no value", id)
	}
	text := "undefined"
	if object, ok := doc.(map[string]any); ok {
		if value, ok := object["value"]; ok {
			if n, ok := value.(float64); ok && n >= 0 && n <= 64 && n == math.Trunc(n) {
				return int(n), nil
			}
			text = jsString(value)
		}
	}
	return 0, fmt.Errorf("invalid threshold.json for class '%s': value=%s", id, text)
}

// jsString writes a decoded JSON value as JavaScript's String does.
func jsString(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	case float64:
		b, err := json.Marshal(v) // writes numbers as ECMAScript does
		if err != nil {           // not a finite number: no JSON holds one
			return err.Error()
		}
		return string(b)
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			if e != nil { // null is empty inside an array
				parts[i] = jsString(e)
			}
		}
		return strings.Join(parts, ",")
	}
	return "[object Object]"
}
