// Package forgotten frees what objects of Go hold outside of Go's heap if they become garbage without having
// been closed.
package forgotten

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A Holder is what an object holds. It must not lead to the object.
type Holder interface {
	// Forgotten frees it when the object is garbage. It is called on a goroutine of the garbage collector.
	Forgotten()
}

// Guards are the guards of objects that hold a T. The zero value is ready. They are safe for concurrent use.
type Guards[T Holder] struct {
	spare sync.Pool // of *Guard[T]; a new one costs ten times as much
}

// A Guard belongs to the object that has a pointer to it.
type Guard[T Holder] struct{ kept *kept[T] }

// kept is what a cleanup gets.
type kept[T Holder] struct {
	armed atomic.Bool // orders the write of held before the cleanup
	held  T
}

// Watch returns a guard for a new object.
func (s *Guards[T]) Watch(held T) *Guard[T] {
	g, _ := s.spare.Get().(*Guard[T])
	if g == nil {
		g = &Guard[T]{new(kept[T])}
		runtime.AddCleanup(g, (*kept[T]).forgot, g.kept)
	}
	g.kept.held = held
	g.kept.armed.Store(true)
	return g
}

func (k *kept[T]) forgot() {
	if k.armed.Load() {
		k.held.Forgotten()
	}
}

// Drop ends the use of an object's guard, which may be nil, because what the object held is freed.
func (s *Guards[T]) Drop(of **Guard[T]) {
	g := *of
	if g == nil {
		return
	}
	*of = nil
	var none T
	g.kept.armed.Store(false)
	g.kept.held = none
	s.spare.Put(g)
}
