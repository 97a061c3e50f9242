package callbacks

import (
	"context"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/access"
)

// dispatcher is implemented by internal/run/dispatch, which makes the calls. A runtime, such as
// package bridge, installs it. Without a runtime there are no calls.
type dispatcher interface {
	Stats(*Registry) []Stat
	QueueState(r *Registry) (state QueueState, used bool)
	InFlight() []InFlightCall
	Barrier(ctx context.Context, name string) error
	// Forget ends the counters of a callback that was unregistered, once no module is bound to it.
	Forget(r *Registry, name string)
	// Retire marks the current options of the registry as replaced: no further call site
	// will be bound with them.
	Retire(*Registry)
}

var engine dispatcher = noRuntime{}

// noRuntime is the dispatcher of a process without a runtime.
type noRuntime struct{}

func (noRuntime) Stats(*Registry) []Stat { return nil }
func (noRuntime) QueueState(r *Registry) (QueueState, bool) {
	return QueueState{Registry: r.name}, false
}
func (noRuntime) InFlight() []InFlightCall              { return nil }
func (noRuntime) Barrier(context.Context, string) error { return nil }
func (noRuntime) Forget(*Registry, string)              {}
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

// found keeps a nil binding from becoming a non-nil interface.
func found(r *Registry, b *binding, err error) (registry, bound any, _ error) {
	if err != nil {
		return nil, nil, err
	}
	if b == nil {
		return r, nil, nil
	}
	return r, b, nil
}
