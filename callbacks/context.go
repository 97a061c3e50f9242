package callbacks

import (
	"context"
	"sync/atomic"
)

// callContext is the context of a run together with the call.
type callContext struct {
	context.Context
	frame atomic.Pointer[Frame] // nil once the call is over
}

type frameKey struct{}

func newCallContext(f *Frame) *callContext {
	c := &callContext{Context: f.Context()}
	c.frame.Store(f)
	return c
}

func (c *callContext) end() { c.frame.Store(nil) }

// Value implements context.Context.
func (c *callContext) Value(key any) any {
	if key == (frameKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// FrameOf returns the call that a context belongs to. The frame has the device and the run
// of the call, the name, effect, transforms and source location of the callback, and its
// static arguments. The context must be the one that a function made by Call or Tap
// receives, or one derived from it. For any other context, or after the call has ended, the
// result is false.
func FrameOf(ctx context.Context) (*Frame, bool) {
	c, ok := ctx.Value(frameKey{}).(*callContext)
	if !ok {
		return nil, false
	}
	f := c.frame.Load()
	return f, f != nil
}
