package callbacks

import (
	"context"
	"sync/atomic"
)

// callContext is the context of a run with the call in it.
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

// FrameOf is the call that a context belongs to: which device and run call, the
// callback's name, effect, transforms and source location, and the static arguments.
// The context is the one that a function made by Call or Tap is given, or one made of
// it; for others, and when the call is over, the result is false.
func FrameOf(ctx context.Context) (*Frame, bool) {
	c, ok := ctx.Value(frameKey{}).(*callContext)
	if !ok {
		return nil, false
	}
	f := c.frame.Load()
	return f, f != nil
}
