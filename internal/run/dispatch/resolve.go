package dispatch

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/access"
	"github.com/calliope-mlir/calliope/tensor"
)

// binding is a registered function of package callbacks.
type binding interface {
	Function() *atomic.Pointer[callbacks.Func] // holds nil once released
	Options() callbacks.Options
	Wait(perSecond uint32) time.Duration // for Options.PerSecond; 0 if a call may be made now
	Gone(config contract.Config, registry string) error
	CheckTypes(config contract.Config, args, results []tensor.Shape) error
}

// Probe is Resolve for a caller that only asks what would be bound, as bridge/preflight
// does. The slot must not be given calls, is counted nowhere, and needs no Close.
func Probe(config contract.Config) (*Slot, error) { return bind(config)(access.Find(config)) }

// ProbeOpaque is to ResolveOpaque what Probe is to Resolve.
func ProbeOpaque(config contract.Config) (*Slot, error) {
	id, err := access.OpaqueID(config)
	if err != nil {
		return nil, err
	}
	return Probe(contract.Config{Form: config.Form, ID: id})
}

// Resolve binds a call site to the callback that a module's backend_config names, in the
// registry that it names. If there is none, it returns a *callbacks.UnknownError, or, for
// an optional callback, a slot that does nothing.
func Resolve(config contract.Config) (*Slot, error) { return counted(Probe(config)) }

// ResolveIn is like Resolve but uses the given registry and ignores the one that the module
// names.
func ResolveIn(r *callbacks.Registry, config contract.Config) (*Slot, error) {
	return counted(bind(config)(access.FindIn(r, config)))
}

// ResolveOpaque binds a call site to the callback for the opaque id of a module: the one
// for its server, or else the one for any server. If there is none, it returns a
// *callbacks.UnknownError.
func ResolveOpaque(config contract.Config) (*Slot, error) {
	return counted(ProbeOpaque(config))
}

// counted has the calls of a new slot counted by its registry.
func counted(s *Slot, err error) (*Slot, error) {
	if err == nil {
		s.host.tally(s)
	}
	return s, err
}

// HasOpaque reports whether the opaque id is bound for any server.
func HasOpaque(id string) bool { return access.HasOpaque(id) }

func bind(config contract.Config) func(registry, b any, err error) (*Slot, error) {
	return func(registry, b any, err error) (*Slot, error) {
		if err != nil {
			return nil, err
		}
		bound, _ := b.(binding)
		return newSlot(hostOf(registry.(*callbacks.Registry)), config, bound)
	}
}

// overrides are the functions that callbacks.With added to a context.
type overrides interface {
	Find(registry, name string) *callbacks.Func
}

func overridesOf(ctx context.Context) overrides {
	o, _ := access.OverridesOf(ctx).(overrides)
	return o
}

func init() { access.Install(dispatcher{}) }

// dispatcher implements the interface of package callbacks.
type dispatcher struct{}

func (dispatcher) Stats(r *callbacks.Registry) []callbacks.Stat { return hostOf(r).stats() }

func (dispatcher) QueueState(r *callbacks.Registry) (state callbacks.QueueState, used bool) {
	e := hostOf(r).running()
	return e.state(), e.pool.used()
}

func (dispatcher) InFlight() []callbacks.InFlightCall { return inFlight(nil) }

func (dispatcher) Barrier(ctx context.Context, name string) error { return barrier(ctx, name) }

func (dispatcher) Forget(r *callbacks.Registry, name string) { hostOf(r).forget(name) }

func (dispatcher) Retire(r *callbacks.Registry) { hostOf(r).retire() }
