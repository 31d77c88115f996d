package standin

import "errors"

var errConnectionRefused = errors.New("connection refused")
