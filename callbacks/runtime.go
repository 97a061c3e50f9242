package callbacks

import (
	"context"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/dispatch/access"
)

// dispatcher is the package that makes the calls, internal/dispatch. It comes with a
// runtime, package bridge for example; without one there are no calls.
type dispatcher interface {
	Stats(*Registry) []Stat
	QueueState(r *Registry) (state QueueState, used bool)
	Waiting() []Underway
	Barrier(ctx context.Context, name string) error
	// Retire says that no call site will be bound to the registry with the options that
	// it had.
	Retire(*Registry)
}

var engine dispatcher = noRuntime{}

// noRuntime is a dispatcher that has made no call.
type noRuntime struct{}

func (noRuntime) Stats(*Registry) []Stat { return nil }
func (noRuntime) QueueState(r *Registry) (QueueState, bool) {
	return QueueState{Registry: r.name}, false
}
func (noRuntime) Waiting() []Underway                   { return nil }
func (noRuntime) Barrier(context.Context, string) error { return nil }
func (noRuntime) Retire(*Registry)                      {}

func init() {
	access.Install = func(d any) { engine = d.(dispatcher) }
	access.FrameOf = func(frame any) *access.Frame { return &frame.(*Frame).set }
	access.RegistryOf = func(registry any) *access.Registry { return &registry.(*Registry).kept }
	access.OptionsOf = func(registry any) any {
		r := registry.(*Registry)
		r.mu.RLock()
		defer r.mu.RUnlock()
		return r.options
	}
	access.OverridesOf = func(ctx context.Context) any {
		if o, ok := ctx.Value(overrideKey{}).(*override); ok {
			return o
		}
		return nil
	}
	access.Find = func(config contract.Config) (registry, binding any, err error) {
		return found(find(config))
	}
	access.FindIn = func(registry any, config contract.Config) (_, binding any, err error) {
		r := registry.(*Registry)
		b, err := r.find(config)
		return found(r, b, err)
	}
	access.OpaqueID = opaqueID
	access.HasOpaque = hasOpaque
}

// found keeps a nil binding from becoming an interface that is not nil.
func found(r *Registry, b *binding, err error) (registry, bound any, _ error) {
	if err != nil {
		return nil, nil, err
	}
	if b == nil {
		return r, nil, nil
	}
	return r, b, nil
}
