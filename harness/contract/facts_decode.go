package contract

import (
	"encoding/json"
	"fmt"
)

// UnmarshalJSON reads a snapshot. Fields that are not known are ignored, null
// is as good as absent; a value of another type than OpenChrome documents is
// an error that names the field, where OpenChrome's JavaScript would coerce it.
func (f *Facts) UnmarshalJSON(data []byte) error {
	v, err := decodeJSON(data)
	if err != nil {
		return fmt.Errorf("facts: %w", err)
	}
	o, ok := v.(Details)
	if !ok {
		return typeError("facts", "object", v)
	}
	*f = Facts{}
	for _, m := range o {
		if m.Value == nil {
			continue
		}
		if err := f.set(m.Key, m.Value); err != nil {
			return err
		}
	}
	return nil
}

func (f *Facts) set(key string, v any) error {
	path := "facts: " + key
	ok := true
	switch key {
	case "url":
		var s string
		s, ok = v.(string)
		f.URL = &s
	case "has_open_dialog":
		f.HasOpenDialog, ok = v.(bool)
	case "screenshot_png_base64":
		f.ScreenshotPNG, ok = v.(string)
	case "contract_facts":
		f.ContractFacts = json.RawMessage(appendJSON(nil, v))
	case "dom_text":
		f.DOMText = &Text{}
		return f.DOMText.set(path, v)
	case "dom_count":
		f.DOMCount = map[string]float64{}
		return eachMember(path, v, func(selector string, v any) bool {
			n, ok := v.(float64)
			if v != nil { // a null count is as good as none
				f.DOMCount[selector] = n
			}
			return ok || v == nil
		})
	case "last_tool_call":
		f.LastToolCall, ok = v.(float64)
	case "unavailable":
		return eachMember(path, v, func(name string, v any) bool {
			reason, ok := v.(string)
			f.setUnavailable(name, reason)
			return ok
		})
	case "network":
		return f.setNetwork(path, v)
	}
	if !ok {
		return typeError(path, "another type", v)
	}
	return nil
}

func (f *Facts) setUnavailable(name, reason string) {
	if f.Unavailable == nil {
		f.Unavailable = map[string]string{}
	}
	f.Unavailable[name] = reason
}

func (f *Facts) setNetwork(path string, v any) error {
	list, ok := v.([]any)
	if !ok {
		return typeError(path, "array", v)
	}
	f.Network = make([]Request, len(list))
	for i, v := range list {
		if v == nil {
			// OpenChrome's evaluator throws at such an entry: these facts can
			// not be judged.
			f.Network = nil
			f.setUnavailable(FactNetwork, "Cannot read properties of null (reading 'url')")
			return nil
		}
		entry, ok := v.(Details)
		if !ok {
			return typeError(fmt.Sprintf("%s.%d", path, i), "object", v)
		}
		r := &f.Network[i]
		if url, _ := entry.Get("url"); url != nil {
			if r.URL, ok = url.(string); !ok {
				return typeError(fmt.Sprintf("%s.%d.url", path, i), "string", url)
			}
		}
		status, _ := entry.Get("status")
		r.Status, _ = status.(float64)
		ts, _ := entry.Get("ts")
		r.TS, _ = ts.(float64)
	}
	return nil
}

// UnmarshalJSON reads a string or an object.
func (t *Text) UnmarshalJSON(data []byte) error {
	v, err := decodeJSON(data)
	if err != nil {
		return fmt.Errorf("dom_text: %w", err)
	}
	return t.set("dom_text", v)
}

func (t *Text) set(path string, v any) error {
	*t = Text{}
	if all, ok := v.(string); ok {
		t.All = all
		return nil
	}
	t.Of = map[string]*string{}
	return eachMember(path, v, func(selector string, v any) bool {
		if v == nil {
			t.Of[selector] = nil
			return true
		}
		s, ok := v.(string)
		t.Of[selector] = &s
		return ok
	})
}

// eachMember hands the members of an object to set, which reports whether
// the value has the right type.
func eachMember(path string, v any, set func(key string, v any) bool) error {
	o, ok := v.(Details)
	if !ok {
		return typeError(path, "object", v)
	}
	for _, m := range o {
		if !set(m.Key, m.Value) {
			return typeError(path+"["+m.Key+"]", "another type", m.Value)
		}
	}
	return nil
}

func typeError(path, want string, v any) error {
	kind := "an object"
	switch v.(type) {
	case nil:
		kind = "null"
	case bool:
		kind = "a boolean"
	case float64:
		kind = "a number"
	case string:
		kind = "a string"
	case []any:
		kind = "an array"
	}
	return fmt.Errorf("%s: got %s, want %s", path, kind, want)
}
