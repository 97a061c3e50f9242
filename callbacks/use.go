package callbacks

import "slices"

// A Middleware returns a function to call in place of next. It may call next, for example
// to record its calls.
type Middleware func(next Func) Func

// Use wraps every function of the registry in m, until remove is called. This includes
// functions that are registered later and functions that With receives from now on. A
// function that With received earlier keeps the middleware of that time. Middleware that is
// added later is called first.
//
// The wrapped functions are prepared in advance, so a call costs only what m adds, and
// nothing if no middleware is in use. A call that has begun keeps the middleware that it
// began with.
//
// With every Dispatch, the function that m returns is called with the frame that next would
// get, at the same time and on the same goroutine.
func (r *Registry) Use(m Middleware) (remove func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	used := &m // the address distinguishes two uses of one Middleware
	r.used = append(r.used, used)
	r.rearm()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.used = slices.DeleteFunc(r.used, func(u *Middleware) bool { return u == used })
		r.rearm()
	}
}

// arm stores the function of a binding, wrapped in the middleware. The caller holds the
// lock.
func (r *Registry) arm(b *binding) {
	fn := r.wrapped(b.plain)
	b.fn.Store(&fn)
}

// wrapped returns fn wrapped in the middleware. The caller holds the lock.
func (r *Registry) wrapped(fn Func) Func {
	for _, m := range r.used {
		fn = (*m)(fn)
	}
	return fn
}

// rearm wraps the function of every binding anew. The caller holds the lock.
func (r *Registry) rearm() {
	for _, b := range r.byName {
		r.arm(b)
	}
	for _, b := range r.byID {
		r.arm(b)
	}
}
