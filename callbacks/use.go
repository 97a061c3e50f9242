package callbacks

import "slices"

// Middleware makes of a function another one that stands in its place: one that
// records the calls, say, and calls it.
type Middleware func(next Func) Func

// Use puts m around every function of the registry, those that are registered already
// and those to come, and around those that With is given from now on, until remove is
// called; what With was given keeps what was in use then. What is used later stands outside of what
// was used before. The functions are replaced where they are kept: a call takes no
// longer than what m adds, and with nothing in use it takes no longer at all. A call
// that has begun goes on with what it began with.
//
// In every way of dispatch the function that m gives is called with the frame that
// next would get, at the time and on the goroutine that it would be.
func (r *Registry) Use(m Middleware) (remove func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	used := &m // its address tells it from another use of the same
	r.used = append(r.used, used)
	r.rearm()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.used = slices.DeleteFunc(r.used, func(u *Middleware) bool { return u == used })
		r.rearm()
	}
}

// arm makes a binding callable, with what is in use around its function. The caller
// holds the lock.
func (r *Registry) arm(b *binding) {
	fn := r.wrapped(b.plain)
	b.fn.Store(&fn)
}

// wrapped is fn with what is in use around it. The caller holds the lock.
func (r *Registry) wrapped(fn Func) Func {
	for _, m := range r.used {
		fn = (*m)(fn)
	}
	return fn
}

// rearm does so again for every binding. The caller holds the lock.
func (r *Registry) rearm() {
	for _, b := range r.byName {
		r.arm(b)
	}
	for _, b := range r.byID {
		r.arm(b)
	}
}
