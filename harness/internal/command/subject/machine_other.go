//go:build !unix

package subject

import "errors"

func freeDisk(string) (uint64, error) { return 0, errors.ErrUnsupported }
