package callbacks

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/access"
)

// A Registry holds callbacks by name and by id. It is safe for concurrent use. The zero
// value is usable, but modules cannot reach it; see NewRegistry.
type Registry struct {
	name string

	mu     sync.RWMutex
	closed bool
	byName map[string]*binding
	byID   map[int64]*binding
	byFunc map[identity][]*binding // the bindings of byID
	used   []*Middleware           // see Use
	number int64                   // position among the registries that returned ids; 0 before the first id

	options RegistryOptions // see Configure
	kept    access.Registry // set by the runtime

	misspelled sync.Map // names given to With that were logged
}

// binding is one registered function. A call site keeps it. Unregistering it sets fn to nil.
type binding struct {
	options  Options
	fn       atomic.Pointer[Func] // nil once unregistered
	plain    Func                 // the registered function; fn is plain wrapped in the middleware
	declared bool
	rate     rate // for Options.PerSecond

	// The fields below are for a binding with an id.
	id       int64
	original Func // keeps the address in same valid
	same     identity
	refs     int // number of unreleased registrations
}

// Default is the registry of modules that name none.
var Default = &Registry{number: 1}

// registries are the registries of the process, by name.
var registries = struct {
	sync.RWMutex
	byName map[string]*Registry
}{byName: map[string]*Registry{"": Default}}

// NewRegistry returns a registry that modules reach by its name (the key "registry"). It
// returns an error if the name is taken. Close frees the name.
func NewRegistry(name string, o RegistryOptions) (*Registry, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("callbacks: registry %q: %w", name, err)
	}
	registries.Lock()
	defer registries.Unlock()
	if _, taken := registries.byName[name]; taken {
		if name == "" {
			return nil, errors.New("callbacks: the name of the registry is empty: give one, or use Default")
		}
		return nil, fmt.Errorf("callbacks: the registry %q exists already: Close it first, or use another name", name)
	}
	r := &Registry{name: name, options: o}
	registries.byName[name] = r
	return r, nil
}

// Name returns the registry's name. It is "" for the default registry.
func (r *Registry) Name() string { return r.name }

// Register binds a function to a name. It returns an error if the name is taken.
func (r *Registry) Register(name string, fn Func, o Options) error {
	if name == "" {
		return errors.New("callbacks: the name of the callback is empty: give one, or use RegisterFunc, which returns an id")
	}
	if fn == nil {
		return fmt.Errorf("callbacks: the function of callback %q is nil", name)
	}
	if err := o.checkNamed(); err != nil {
		return fmt.Errorf("callbacks: callback %q: %w", name, err)
	}
	o.Static = slices.Clone(o.Static)
	return r.bindName(name, &binding{options: o, plain: withStatic(fn, o.Static)})
}

// Declare reserves a name without a function. Modules that call it can be compiled, and
// each run provides the function by With. In a run without a function the call fails with
// an UnknownError. If the callback is optional, the call does nothing and its results are
// zero. Only the signature of the options is used. Unregister removes the name.
func (r *Registry) Declare(name string, o Options) error {
	if name == "" {
		return errors.New("callbacks: the name of the declared callback is empty: give one")
	}
	if err := o.checkNamed(); err != nil {
		return fmt.Errorf("callbacks: callback %q: %w", name, err)
	}
	b := &binding{options: o, declared: true}
	b.plain = Func(func(f *Frame) error {
		if !f.Config.Optional {
			return &UnknownError{Callback: name, Registry: r.name, Missing: "function"}
		}
		if f.Config.Form != contract.Passthrough {
			for _, result := range f.Results {
				clear(result.Data)
			}
		}
		return nil
	})
	return r.bindName(name, b)
}

func (r *Registry) bindName(name string, b *binding) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return r.closedError()
	}
	if old, taken := r.byName[name]; taken {
		how := "registered"
		if old.declared {
			how = "declared"
		}
		return fmt.Errorf("callbacks: the callback %q is %s already: Unregister it first", name, how)
	}
	if r.byName == nil {
		r.byName = map[string]*binding{}
	}
	r.byName[name] = b
	r.arm(b)
	return nil
}

// Unregister removes a name. Calls of modules that are bound to it then fail with an
// UnknownError, until the name is registered again: they call the new function, with its
// options. A call that has begun is not affected.
func (r *Registry) Unregister(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, ok := r.byName[name]
	if !ok {
		return r.unknown(contract.Config{Callback: name})
	}
	delete(r.byName, name)
	b.fn.Store(nil)
	engine.Forget(r, name)
	return nil
}

// Close unregisters every callback and frees the registry's name. Modules that are bound to
// a callback of it stay without one, also if the name gets another registry. Closing it again
// does nothing. The default registry is only emptied and can be used further. The error is
// always nil.
func (r *Registry) Close() error {
	registries.Lock()
	defer registries.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.byName {
		b.fn.Store(nil)
	}
	for _, b := range r.byID {
		b.fn.Store(nil)
	}
	clear(r.byName)
	clear(r.byID)
	clear(r.byFunc)
	if r == Default {
		return nil
	}
	r.closed = true
	engine.Retire(r)
	if registries.byName[r.name] == r { // otherwise another registry has the name now
		delete(registries.byName, r.name)
	}
	return nil
}

func (r *Registry) closedError() error {
	return fmt.Errorf("callbacks: the registry %q is %w", r.name, ErrClosed)
}
