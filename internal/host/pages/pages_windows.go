package pages

import "errors"

// Map fails, because no code that needs such memory runs on Windows.
func Map(int) ([]byte, error) { return nil, errors.ErrUnsupported }

// Unmap does nothing.
func Unmap([]byte) {}

// ReadOnly fails as Map does.
func ReadOnly([]byte) error { return errors.ErrUnsupported }

// NoAccess fails as Map does.
func NoAccess([]byte) error { return errors.ErrUnsupported }
