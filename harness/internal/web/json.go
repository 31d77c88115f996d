package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// maxName bounds the name of a field in a JSON body, in bytes. It also bounds the depth.
const maxName = 256

// maxValues bounds the values in a JSON body, roughly. Package net/url allows a form as many fields.
const maxValues = 10_000

// isJSON reports whether the request says that its body is JSON.
func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// readJSON returns the fields of a JSON body. An empty body has no fields.
func readJSON(body io.Reader) (url.Values, error) {
	fields := make(url.Values)
	data, err := io.ReadAll(body)
	if err != nil {
		return fields, err
	}
	if jsonfile.Values(data) > maxValues {
		return fields, errors.New("too many values")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); errors.Is(err, io.EOF) {
		return fields, nil
	} else if err != nil {
		return fields, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errors.New("more than one value")
		}
		return fields, err
	}
	return fields, addJSON(fields, "", v)
}

// addJSON adds a value to the field name. An array of plain values counts as a field that
// was sent several times. Nested values get names with dots: address.city, items.0.id.
func addJSON(fields url.Values, name string, value any) error {
	if len(name) > maxName {
		return errors.New("the name of a field is too long")
	}
	inner := func(key string, v any) error {
		if name != "" {
			key = name + "." + key
		}
		return addJSON(fields, key, v)
	}
	switch v := value.(type) {
	case nil:
		fields.Add(name, "")
	case string:
		fields.Add(name, v)
	case bool:
		fields.Add(name, strconv.FormatBool(v))
	case json.Number:
		fields.Add(name, v.String())
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := inner(key, v[key]); err != nil {
				return err
			}
		}
	case []any:
		for i, item := range v {
			var err error
			switch item.(type) {
			case map[string]any, []any:
				err = inner(strconv.Itoa(i), item)
			default:
				err = addJSON(fields, name, item)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
