package callbacks

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// find returns the registry and the binding that the backend_config of a module names. The
// binding is nil for an optional callback that is not registered.
func find(config contract.Config) (*Registry, *binding, error) {
	registries.RLock()
	r, ok := registries.byName[config.Registry]
	registries.RUnlock()
	switch {
	case ok:
		b, err := r.find(config)
		return r, b, err
	case config.Optional:
		return &Registry{name: config.Registry}, nil, nil // its counters are not shown
	}
	return nil, nil, &UnknownError{Callback: config.Name(), Registry: config.Registry, Missing: "registry"}
}

func (r *Registry) find(config contract.Config) (*binding, error) {
	if _, err := config.Policy.Placement(); err != nil {
		return nil, fmt.Errorf("callbacks: callback %q: %w", config.Name(), err)
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	b := r.byID[config.ID]
	if config.ByName() {
		b = r.byName[config.Callback]
	}
	switch {
	case b == nil && config.Optional:
		return nil, nil
	case b == nil:
		return nil, r.unknown(config)
	case b.options.Signature != "" && config.Signature != "" &&
		contract.SignatureHash(b.options.Signature) != config.Signature:
		return nil, &SignatureError{Callback: config.Callback, Have: b.options.Signature, WantHash: config.Signature}
	}
	return b, nil
}

// Function returns the pointer to the function. It holds nil once the binding is
// unregistered.
func (b *binding) Function() *atomic.Pointer[Func] { return &b.fn }

// Options returns the options of the callback.
func (b *binding) Options() Options { return b.options }

// Wait returns 0 if Options.PerSecond lets a call pass now, and counts it. Otherwise it returns the time
// until then.
func (b *binding) Wait(perSecond uint32) time.Duration { return b.rate.wait(perSecond) }

// Gone returns the error of a call site whose binding was unregistered.
func (b *binding) Gone(config contract.Config, registry string) error {
	e := &UnknownError{Callback: config.Name(), Registry: registry, Missing: "callback"}
	if b.id != 0 {
		e.IDState = IDUnregistered
	}
	return e
}

// CheckTypes compares the arrays of a module's call with the Go types of the function, if
// they are known.
func (b *binding) CheckTypes(config contract.Config, args, results []tensor.Shape) error {
	if t := typesOf(b.plain); t != nil {
		return t.check(config.Form, args, results)
	}
	return nil
}
