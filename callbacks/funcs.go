package callbacks

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/contract"
)

// identity is what makes a function without a name the same one again.
type identity struct {
	key  any            // Options.Key
	fn   unsafe.Pointer // the closure object; nil with a key
	name string         // the signature, which is cheap to tell apart here
}

// identityOf needs no more of the closure than its address, which is no other's as
// long as the binding keeps the function.
func identityOf(fn Func, o Options) identity {
	if o.Key != nil {
		return identity{key: o.Key, name: o.Signature}
	}
	return identity{fn: *(*unsafe.Pointer)(unsafe.Pointer(&fn)), name: o.Signature}
}

// RegisterFunc binds a function to an id, for callbacks that need no name. The id is
// good for this process only: a module that holds it cannot be saved.
//
// The same function (see Options.Key) with equal options gets the same id again, and
// is released when Release was called as often. With a Key the function that came
// first is the one that is called.
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

// Release gives an id back. When that was done as often as it was handed out, calls
// of modules that hold it fail with an UnknownError; a call that has begun goes on.
func (r *Registry) Release(id int64) error {
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
	return nil
}

// withStatic is the function with its static arguments in the frame. They are taken out
// again, because the next call on this frame may be another function's.
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
