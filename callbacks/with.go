package callbacks

import (
	"context"
	"fmt"
)

// override is one function of With.
type override struct {
	registry, name string
	fn             Func
	outer          *override
}

type overrideKey struct{}

// With gives a context whose runs call fn wherever a module calls the callback with
// that name in the default registry, instead of what is registered, and also where
// nothing is: a declared name, or an optional callback. How it is called stays what
// the registration says; Inline, where there is none. It is over with the run.
func With(ctx context.Context, name string, fn Func) context.Context {
	return Default.With(ctx, name, fn)
}

// With is the function With for the callbacks of this registry.
func (r *Registry) With(ctx context.Context, name string, fn Func) context.Context {
	if fn == nil {
		fn = func(*Frame) error {
			return fmt.Errorf("callbacks: the function that With was given for callback %q is nil", name)
		}
	}
	r.mu.RLock()
	fn = r.wrapped(fn)
	r.mu.RUnlock()
	outer, _ := ctx.Value(overrideKey{}).(*override)
	return context.WithValue(ctx, overrideKey{}, &override{r.name, name, fn, outer})
}

// Find returns the function for a callback, nil where there is none.
func (o *override) Find(registry, name string) *Func {
	for ; o != nil; o = o.outer {
		if o.name == name && o.registry == registry {
			return &o.fn
		}
	}
	return nil
}
