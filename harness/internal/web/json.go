package web

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
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
	switch {
	case err != nil || len(bytes.TrimSpace(data)) == 0:
		return fields, err
	case jsonfile.Values(data) > maxValues:
		return fields, errors.New("too many values")
	}
	f := jsonfile.Loose("body", data)
	root := f.Value()
	if err := f.Faults.Err(); err != nil {
		return fields, err
	}
	return fields, addJSON(fields, "", root)
}

// addJSON adds a value to the field name. An array of plain values counts as a field that
// was sent several times. Nested values get names with dots: address.city, items.0.id.
func addJSON(fields url.Values, name string, n *jsonfile.Node) (err error) {
	if len(name) > maxName {
		return errors.New("the name of a field is too long")
	}
	for i, item := range n.Items {
		inner := strconv.Itoa(i)
		switch {
		case err != nil || n.Kind == jsonfile.Object && n.Get(item.Key) != item: // of duplicates the last counts
			continue
		case n.Kind == jsonfile.Object:
			inner = item.Key
		case item.Kind < jsonfile.Array:
			err = addJSON(fields, name, item)
			continue
		}
		if name != "" {
			inner = name + "." + inner
		}
		err = addJSON(fields, inner, item)
	}
	switch n.Kind {
	case jsonfile.Null:
		fields.Add(name, "")
	case jsonfile.String, jsonfile.Number, jsonfile.Bool:
		fields.Add(name, n.Text)
	}
	return err
}
