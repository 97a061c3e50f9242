// Package access connects package callbacks, which people write against, with package
// dispatch, which makes the calls for runtimes. Dispatch imports callbacks; here callbacks
// gives it what it does not export, and gets what its own functions ask of dispatch.
//
// Values that are any have a type of package callbacks, which this package cannot name.
package access

import (
	"context"
	"sync"

	"github.com/calliope-mlir/calliope/contract"
)

// Frame is the part of a callbacks.Frame that a runtime sets.
type Frame struct {
	Context *context.Context // nil for the background
	Aliased []bool           // by result: whether it is the operand's memory
}

// Registry is the part of a callbacks.Registry that belongs to dispatch.
type Registry struct {
	once  sync.Once
	state any
}

// State returns what make made when it was called first.
func (r *Registry) State(make func() any) any {
	r.once.Do(func() { r.state = make() })
	return r.state
}

// Set by callbacks.
var (
	// Install has callbacks ask d, which has the methods of its interface dispatcher.
	Install func(d any)

	FrameOf     func(frame any) *Frame        // of a *callbacks.Frame
	RegistryOf  func(registry any) *Registry  // of a *callbacks.Registry
	OptionsOf   func(registry any) any        // a callbacks.RegistryOptions
	OverridesOf func(ctx context.Context) any // what callbacks.With put there; nil for nothing
	HasOpaque   func(id string) bool          // whether the id is bound for any server

	// Find finds what a module's backend_config means: a *callbacks.Registry, and a
	// binding, which is nil for an optional callback that nobody registered.
	Find   func(contract.Config) (registry, binding any, err error)
	FindIn func(registry any, config contract.Config) (_, binding any, err error)
	// OpaqueID returns the id in the default registry of what is bound to the opaque id
	// of a module.
	OpaqueID func(contract.Config) (int64, error)
)
