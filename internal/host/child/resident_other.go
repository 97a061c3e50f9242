//go:build !linux && !windows

package child

import "errors"

// Resident returns an error that is [errors.ErrUnsupported].
func Resident(int) (int64, error) { return 0, errors.ErrUnsupported }
