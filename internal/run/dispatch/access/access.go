// Package access connects the public package callbacks with package dispatch, which makes
// the calls for runtimes. Dispatch imports callbacks. Through this package, callbacks gives
// dispatch access to what it does not export, and dispatch provides what the functions of
// callbacks need.
//
// Values of type any have a type of package callbacks, which this package cannot import.
package access

import (
	"context"
	"sync"

	"github.com/calliope-mlir/calliope/contract"
)

// Frame is the part of a callbacks.Frame that a runtime sets.
type Frame struct {
	Context *context.Context // nil means context.Background
	Aliased []bool           // for each result, whether it shares the operand's memory
}

// Registry is the part of a callbacks.Registry that belongs to dispatch.
type Registry struct {
	once  sync.Once
	state any
}

// State returns the value that make returned at the first call of State.
func (r *Registry) State(make func() any) any {
	r.once.Do(func() { r.state = make() })
	return r.state
}

// These are set by callbacks.
var (
	// Install sets the dispatcher that callbacks uses. d implements its interface
	// dispatcher.
	Install func(d any)

	FrameOf     func(frame any) *Frame        // of a *callbacks.Frame
	RegistryOf  func(registry any) *Registry  // of a *callbacks.Registry
	OptionsOf   func(registry any) any        // a callbacks.RegistryOptions
	OverridesOf func(ctx context.Context) any // the functions set by callbacks.With, or nil
	HasOpaque   func(id string) bool          // whether the id is bound for any server

	// Find returns what a module's backend_config names: a *callbacks.Registry, and a
	// binding, which is nil for an optional callback that is not registered.
	Find   func(contract.Config) (registry, binding any, err error)
	FindIn func(registry any, config contract.Config) (_, binding any, err error)
	// OpaqueID returns the id in the default registry for the opaque id of a module.
	OpaqueID func(contract.Config) (int64, error)
)
