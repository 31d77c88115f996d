package episode

import (
	"encoding/json"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
)

func TestSizeOfTools(t *testing.T) {
	const want = len(`[{"name":"see","description":"a <b> & more","inputSchema":{"a":"<"}}]`)
	tools := []adapter.Tool{{Name: "see", Description: "a <b> & more", InputSchema: json.RawMessage(`{"a":"<"}`)}}
	if got := sizeOf(tools); got.Bytes != want {
		t.Errorf("%d bytes, want %d", got.Bytes, want)
	}
}
