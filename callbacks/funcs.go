package callbacks

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/contract"
)

// identity decides whether two functions without a name are the same.
type identity struct {
	key  any            // Options.Key
	fn   unsafe.Pointer // the closure object; nil with a key
	name string         // the signature, which is cheap to compare here
}

// identityOf needs only the address of the closure. It is unique as long as the binding
// keeps the function.
func identityOf(fn Func, o Options) identity {
	if o.Key != nil {
		return identity{key: o.Key, name: o.Signature}
	}
	return identity{fn: *(*unsafe.Pointer)(unsafe.Pointer(&fn)), name: o.Signature}
}

// RegisterFunc binds a function to an id, for callbacks that need no name. The id is valid
// in this process only, so a module that holds it cannot be saved.
//
// Registering the same function (see Options.Key) with equal options returns the same id.
// The id is unregistered when UnregisterID was called as often as RegisterFunc. With a Key,
// the function that was registered first is the one that is called.
func (r *Registry) RegisterFunc(fn Func, o Options) (id int64, err error) {
	if fn == nil {
		return 0, errors.New("callbacks: the function is nil")
	}
	if err := o.check(); err != nil {
		return 0, fmt.Errorf("callbacks: %w", err)
	}
	o.Static = slices.Clone(o.Static)
	same := identityOf(fn, o)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, r.closedError()
	}
	for _, b := range r.byFunc[same] {
		if b.options.equal(o) {
			b.refs++
			return b.id, nil
		}
	}
	b := &binding{options: o, id: r.nextID(), same: same, original: fn, refs: 1, plain: withStatic(fn, o.Static)}
	if r.byID == nil {
		r.byID, r.byFunc = map[int64]*binding{}, map[identity][]*binding{}
	}
	r.byID[b.id] = b
	r.arm(b)
	r.byFunc[same] = append(r.byFunc[same], b)
	return b.id, nil
}

// UnregisterID removes an id that RegisterFunc returned. When it was called as often as
// RegisterFunc returned the id, calls of modules that hold the id fail with an
// UnknownError. A call that has begun is not affected.
func (r *Registry) UnregisterID(id int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, ok := r.byID[id]
	if !ok {
		return r.unknown(contract.Config{ID: id})
	}
	if b.refs--; b.refs > 0 {
		return nil
	}
	delete(r.byID, id)
	r.byFunc[b.same] = slices.DeleteFunc(r.byFunc[b.same], func(other *binding) bool { return other == b })
	if len(r.byFunc[b.same]) == 0 {
		delete(r.byFunc, b.same)
	}
	b.fn.Store(nil)
	engine.Forget(r, contract.Config{ID: id}.Name())
	return nil
}

// withStatic returns a function that calls fn with the static arguments in the frame. It
// removes them afterwards, because the next call on the frame may be of another function.
func withStatic(fn Func, static []any) Func {
	if len(static) == 0 {
		return fn
	}
	bound := func(f *Frame) error {
		f.Static = static
		defer func() { f.Static = nil }()
		return fn(f)
	}
	if t := typesOf(fn); t != nil {
		return describe(bound, t)
	}
	return bound
}
