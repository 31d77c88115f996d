//go:build !unix

package doctor

import "errors"

func freeDisk(string) (uint64, error) { return 0, errors.ErrUnsupported }
