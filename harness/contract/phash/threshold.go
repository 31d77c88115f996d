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
