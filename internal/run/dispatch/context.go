package dispatch

import (
	"context"
	"errors"
)

var errNoContext = errors.New("the context is nil: give context.Background() if there is no other")

// Ended returns the error of a context that has ended, or an error if it is nil.
func Ended(ctx context.Context) error {
	if ctx == nil {
		return errNoContext
	}
	return ctx.Err()
}
