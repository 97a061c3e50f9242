package callbacks

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/contract"
)

// Registry holds callbacks by name and by id. It is safe for concurrent use. The zero
// value works, but no module reaches it; see NewRegistry.
type Registry struct {
	name string

	mu     sync.RWMutex
	closed bool
	byName map[string]*binding
	byID   map[int64]*binding
	byFunc map[identity][]*binding // those of byID
	used   []*Middleware           // see Use
	number int64                   // of this registry among those that gave ids; 0 before the first

	engine  atomic.Pointer[engine]
	tallies tallies
}

// binding is one registered function. A Slot keeps it; releasing it empties it.
type binding struct {
	options  Options
	fn       atomic.Pointer[Func] // nil where released
	plain    Func                 // what was registered; fn has around it what is in use
	declared bool
	rate     rate // for Options.PerSecond

	// Of one with an id:
	id       int64
	original Func // keeps the address that is in same
	same     identity
	refs     int // how often the id was given and not released
}

// Default is the registry that a module means when it names none.
var Default = &Registry{number: 1}

// registries are those of the process, by name.
var registries = struct {
	sync.RWMutex
	byName map[string]*Registry
}{byName: map[string]*Registry{"": Default}}

// NewRegistry makes a registry that modules reach by its name (the key "registry").
// The name must be free; Close frees it.
func NewRegistry(name string, o RegistryOptions) (*Registry, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("callbacks: registry %q: %w", name, err)
	}
	registries.Lock()
	defer registries.Unlock()
	if _, taken := registries.byName[name]; taken {
		if name == "" {
			return nil, errors.New("callbacks: a registry needs a name: the one without is Default")
		}
		return nil, fmt.Errorf("callbacks: there is a registry %q already: Close it first, or take another name", name)
	}
	r := &Registry{name: name}
	r.engine.Store(newEngine(name, o))
	registries.byName[name] = r
	return r, nil
}

// Name is the registry's name, "" for the default one.
func (r *Registry) Name() string { return r.name }

// Register binds a function to a name.
func (r *Registry) Register(name string, fn Func, o Options) error {
	if name == "" {
		return errors.New("callbacks: a callback needs a name; RegisterFunc gives an id to one without")
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

// Declare makes a name known without a function: modules that call it can be
// compiled, and each run brings the function. A call in a run that brings none is an
// UnknownError; where the callback is optional it does nothing, and its results are
// zero. Of the options only the signature counts. Unregister takes the name back.
func (r *Registry) Declare(name string, o Options) error {
	if name == "" {
		return errors.New("callbacks: a callback needs a name to be declared")
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
		return fmt.Errorf("callbacks: a callback %q is %s already: Unregister it first", name, how)
	}
	if r.byName == nil {
		r.byName = map[string]*binding{}
	}
	r.byName[name] = b
	r.arm(b)
	return nil
}

// Unregister releases a name. Calls of modules that are bound to it fail from then
// on with an UnknownError, also when the name is registered again; a call that has
// begun goes on.
func (r *Registry) Unregister(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, ok := r.byName[name]
	if !ok {
		return r.unknown(contract.Config{Callback: name})
	}
	delete(r.byName, name)
	b.fn.Store(nil)
	return nil
}

// Close releases every callback and the registry's name. Closing twice does nothing;
// the default registry stays and is only emptied.
func (r *Registry) Close() {
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
		return
	}
	r.closed = true
	if e := r.engine.Load(); e != nil {
		e.pool.retire()
	}
	if registries.byName[r.name] == r { // or the name is another's by now
		delete(registries.byName, r.name)
	}
}

// Resolve finds the callback that a module's backend_config means, in the registry
// that it names.
func Resolve(config contract.Config) (*Slot, error) { return counted(Probe(config)) }

// Probe is Resolve for whoever only asks what would be bound, as bridge/preflight does: the
// slot must not be invoked, is counted nowhere and needs no Close.
func Probe(config contract.Config) (*Slot, error) {
	registries.RLock()
	r, ok := registries.byName[config.Registry]
	registries.RUnlock()
	if !ok {
		if config.Optional {
			return newSlot(&Registry{name: config.Registry}, config, nil) // its counts are nobody's
		}
		return nil, &UnknownError{Callback: config.Name(), Registry: config.Registry, Missing: "registry"}
	}
	return r.probe(config)
}

// Resolve finds the callback that a module's backend_config means. Where there is
// none it is an UnknownError, or, for an optional one, a slot that does nothing.
func (r *Registry) Resolve(config contract.Config) (*Slot, error) { return counted(r.probe(config)) }

// counted has the calls of a new slot counted by its registry.
func counted(s *Slot, err error) (*Slot, error) {
	if err == nil {
		s.home.tally(s)
	}
	return s, err
}

func (r *Registry) probe(config contract.Config) (*Slot, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	b := r.byID[config.ID]
	if config.ByName() {
		b = r.byName[config.Callback]
	}
	switch {
	case config.Policy != "":
		return nil, fmt.Errorf("callbacks: callback %q asks for the device policy %q; no policy is served yet: leave the key out, and each device calls", config.Name(), config.Policy)
	case b == nil && config.Optional:
		return newSlot(r, config, nil)
	case b == nil:
		return nil, r.unknown(config)
	case b.options.Signature != "" && config.Signature != "" && contract.SignatureHash(b.options.Signature) != config.Signature:
		return nil, &SignatureError{Callback: config.Callback, Have: b.options.Signature, WantHash: config.Signature}
	}
	return newSlot(r, config, b)
}

func (r *Registry) closedError() error {
	return fmt.Errorf("callbacks: the registry %q is closed", r.name)
}
