package callbacks

import (
	"context"
	"errors"
)

// Barrier waits until every callback of every run that any client has started is done, on
// all devices, including queued calls. It returns the errors of taps since the last barrier
// as a *TapErrors, or nil if there were none. The name appears in the errors.
//
// If ctx ends first, it returns a *BarrierError that lists the calls in flight, and the
// errors of taps are kept for the next barrier. Inside a callback it returns
// ErrBarrierInside, because it would wait for itself.
func Barrier(ctx context.Context, name string) error { return engine.Barrier(ctx, name) }

// ErrBarrierInside is returned by a barrier that is called inside a callback.
var ErrBarrierInside = errors.New("a barrier inside a callback would wait for itself: call it outside of callbacks, after the run was started")
