package callbacks

import (
	"context"
	"errors"
)

// Barrier waits until every callback of every run that any client has begun is over, on
// all devices, those in queues too. It returns the errors of taps since the last barrier
// as a *Error, nil where there was none. When ctx ends first it returns a *BarrierError
// that says what is still under way, and the taps' errors stay for the next barrier.
// Inside a callback it returns ErrBarrierInside: it would wait for itself.
func Barrier(ctx context.Context, name string) error { return engine.Barrier(ctx, name) }

// ErrBarrierInside is the error of a barrier inside a callback.
var ErrBarrierInside = errors.New("a barrier inside a callback would wait for itself: call it outside, after the run was started")
