package callbacks

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"

	"github.com/calliope-mlir/calliope/internal/text/nearest"
)

// override is one function given to With.
type override struct {
	registry, name string
	fn             Func
	outer          *override
}

type overrideKey struct{}

// With returns a context whose runs call fn instead of the callback that is registered with
// that name in the default registry. It also applies if no function is registered: for a
// declared name, or an optional callback. The Dispatch is that of the registration, or
// Inline if there is none. The override ends with the run. If no callback has the name, and one has a
// similar name, With logs that once.
func With(ctx context.Context, name string, fn Func) context.Context {
	return Default.With(ctx, name, fn)
}

// With is like the function With, for the callbacks of this registry.
func (r *Registry) With(ctx context.Context, name string, fn Func) context.Context {
	if fn == nil {
		fn = func(*Frame) error { return errors.New("the function that With was given is nil") }
	}
	r.mu.RLock()
	fn = r.wrapped(fn)
	_, known := r.byName[name]
	near := ""
	if !known {
		near = nearest.Name(name, maps.Keys(r.byName))
	}
	logger := r.options.Logger
	r.mu.RUnlock()
	if near != "" {
		if _, said := r.misspelled.LoadOrStore(name, true); !said {
			cmp.Or(logger, slog.Default()).Warn("callbacks: With: no callback is registered by this name; "+
				"only an optional one of a module can be meant", "name", name, "nearest", near)
		}
	}
	outer, _ := ctx.Value(overrideKey{}).(*override)
	return context.WithValue(ctx, overrideKey{}, &override{r.name, name, fn, outer})
}

// Find returns the function for a callback, or nil if there is none.
func (o *override) Find(registry, name string) *Func {
	for ; o != nil; o = o.outer {
		if o.name == name && o.registry == registry {
			return &o.fn
		}
	}
	return nil
}
