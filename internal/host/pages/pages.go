// Package pages has memory whose pages can be made inaccessible, so that a wrong use of it is a fault.
package pages

import (
	"sync"
	"unsafe"
)

// Kept is how many pieces of memory stay inaccessible. After that their addresses may be used again, and a late use is
// not detected any more.
const Kept = 256

// A Poisoned has memory that must not be used any more, of owners of type T. The zero value has none. It is safe for
// concurrent use.
type Poisoned[T any] struct {
	mu  sync.Mutex
	all []piece[T] // the oldest first
}

type piece[T any] struct {
	memory []byte
	owner  T
}

// Add makes memory of Map inaccessible, and unmaps it later. The error says why an access is no fault.
func (p *Poisoned[T]) Add(memory []byte, owner T) error {
	err := NoAccess(memory)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, piece[T]{memory, owner})
	if len(p.all) > Kept {
		Unmap(p.all[0].memory)
		p.all = p.all[1:]
	}
	return err
}

// Owner returns the owner of the memory that has an address.
func (p *Poisoned[T]) Owner(address uintptr) (owner T, found bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.all {
		if Holds(one.memory, address) {
			return one.owner, true
		}
	}
	return owner, false
}

// Holds reports whether memory has an address.
func Holds(memory []byte, address uintptr) bool {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	return address >= start && address < start+uintptr(len(memory))
}
