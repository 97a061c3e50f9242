package callbacks

import (
	"errors"
	"fmt"
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
}

// binding is one registered function. A Slot keeps it; releasing it empties it.
type binding struct {
	options Options
	fn      atomic.Pointer[Func]
}

// Default is the registry that a module means when it names none.
var Default = &Registry{}

// registries are those of the process, by name.
var registries = struct {
	sync.RWMutex
	byName map[string]*Registry
}{byName: map[string]*Registry{"": Default}}

// lastID is shared by all registries, so that an id is never taken for another's.
var lastID atomic.Int64

// NewRegistry makes a registry that modules reach by its name (the key "registry").
// The name must be free; Close frees it.
func NewRegistry(name string) (*Registry, error) {
	registries.Lock()
	defer registries.Unlock()
	if _, taken := registries.byName[name]; taken {
		if name == "" {
			return nil, errors.New("callbacks: a registry needs a name: the one without is Default")
		}
		return nil, fmt.Errorf("callbacks: there is a registry %q already: Close it first, or take another name", name)
	}
	r := &Registry{name: name}
	registries.byName[name] = r
	return r, nil
}

// Name is the registry's name, "" for the default one.
func (r *Registry) Name() string { return r.name }

// Options say how a callback is bound. The zero value accepts any module.
type Options struct {
	// Signature is what the function takes and gives, as contract.Signature writes it; a
	// module that was built for another one is refused when it is compiled. Empty
	// accepts any.
	Signature string
}

// check says what is wrong with the options.
func (o Options) check() error {
	if o.Signature == "" {
		return nil
	}
	// No module could ever match another spelling.
	_, _, err := contract.ParseSignature(o.Signature)
	return err
}

// Register binds a function to a name.
func (r *Registry) Register(name string, fn Func, o Options) error {
	if name == "" {
		return errors.New("callbacks: a callback needs a name; RegisterFunc gives an id to one without")
	}
	if fn == nil {
		return fmt.Errorf("callbacks: the function of callback %q is nil", name)
	}
	if err := o.check(); err != nil {
		return fmt.Errorf("callbacks: callback %q: %w", name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return r.closedError()
	}
	if _, taken := r.byName[name]; taken {
		return fmt.Errorf("callbacks: a callback %q is registered already: Unregister it first", name)
	}
	b := &binding{options: o}
	b.fn.Store(&fn)
	if r.byName == nil {
		r.byName = map[string]*binding{}
	}
	r.byName[name] = b
	return nil
}

// RegisterFunc binds a function to an id of its own, for callbacks that need no name.
// The id is good for this process only: a module that holds it cannot be saved.
func (r *Registry) RegisterFunc(fn Func, o Options) (id int64, err error) {
	if fn == nil {
		return 0, errors.New("callbacks: the function is nil")
	}
	if err := o.check(); err != nil {
		return 0, fmt.Errorf("callbacks: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, r.closedError()
	}
	id = lastID.Add(1)
	b := &binding{options: o}
	b.fn.Store(&fn)
	if r.byID == nil {
		r.byID = map[int64]*binding{}
	}
	r.byID[id] = b
	return id, nil
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

// Release releases an id, as Unregister does a name.
func (r *Registry) Release(id int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, ok := r.byID[id]
	if !ok {
		return r.unknown(contract.Config{ID: id})
	}
	delete(r.byID, id)
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
	if r == Default {
		return
	}
	r.closed = true
	if registries.byName[r.name] == r { // or the name is another's by now
		delete(registries.byName, r.name)
	}
}

// Resolve finds the callback that a module's backend_config means, in the registry
// that it names.
func Resolve(config contract.Config) (*Slot, error) {
	registries.RLock()
	r, ok := registries.byName[config.Registry]
	registries.RUnlock()
	if !ok {
		if config.Optional {
			return &Slot{config: config}, nil
		}
		return nil, &UnknownError{Callback: config.Name(), Registry: config.Registry, Missing: "registry"}
	}
	return r.Resolve(config)
}

// Resolve finds the callback that a module's backend_config means. Where there is
// none it is an UnknownError, or, for an optional one, a slot that does nothing.
func (r *Registry) Resolve(config contract.Config) (*Slot, error) {
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
		return &Slot{config: config}, nil
	case b == nil:
		return nil, r.unknown(config)
	case b.options.Signature != "" && config.Signature != "" && contract.SignatureHash(b.options.Signature) != config.Signature:
		return nil, &SignatureError{Callback: config.Callback, Have: b.options.Signature, WantHash: config.Signature}
	}
	return &Slot{config: config, registry: r.name, binding: b}, nil
}

func (r *Registry) closedError() error {
	return fmt.Errorf("callbacks: the registry %q is closed", r.name)
}

// unknown makes the error for what is not there. The caller holds the lock.
func (r *Registry) unknown(config contract.Config) error {
	e := &UnknownError{Callback: config.Name(), Registry: r.name, Missing: "callback"}
	best := len(config.Callback)/2 + 1 // further than that is another word
	for name := range r.byName {
		if n := len(name) - len(config.Callback); max(n, -n) > best {
			continue // a hostile module's name may be long, and the distance slow
		}
		d := distance(config.Callback, name)
		if d < best || d == best && e.Nearest != "" && name < e.Nearest {
			best, e.Nearest = d, name
		}
	}
	return e
}

// distance is the number of letters to insert, delete or replace that make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
