package callers

import (
	"iter"
	"runtime"
)

// A Cache has what stands for the lines of the user's code, by the addresses that their calls return to. It has nil for
// an address in the packages that ask. The zero value is empty.
type Cache[T any] struct {
	all map[uintptr]*T
	// recent has a part of all, by the last bits of the address. It is even faster.
	recent *[256]entry[T]
}

type entry[T any] struct {
	address uintptr
	value   *T
}

// Known returns the value of the innermost address in the user's code, or nil if an address before it is not cached.
func (c *Cache[T]) Known(addresses []uintptr) *T {
	if c.recent == nil {
		return nil
	}
	for _, a := range addresses {
		e := &c.recent[a%uintptr(len(c.recent))]
		if e.address != a || a == 0 {
			v, known := c.all[a]
			if !known {
				return nil
			}
			e.address, e.value = a, v
		}
		if e.value != nil {
			return e.value
		}
	}
	return nil
}

// Set caches the value of an address.
func (c *Cache[T]) Set(address uintptr, value *T) {
	if c.all == nil {
		c.all, c.recent = map[uintptr]*T{}, new([256]entry[T])
	}
	c.all[address] = value
}

// Cut returns the address that returns to the function of a frame, or 0 if it is not among the addresses, and those
// before it. If the compiler has inlined functions of ours into the user's, they have the same entry, and each inlined
// call has an address of its own.
func Cut(addresses []uintptr, at runtime.Frame) (before []uintptr, address uintptr) {
	for i, a := range addresses {
		f := runtime.FuncForPC(a - 1)
		if f == nil {
			return addresses[:i], 0
		}
		if f.Entry() == at.Entry {
			return addresses[:i], a
		}
	}
	return addresses, 0
}

// Frames returns the calls on the stack, beginning with the function that asks.
func Frames() iter.Seq[runtime.Frame] {
	return func(yield func(runtime.Frame) bool) {
		var pcs [16]uintptr
		for skip := 2; ; skip += len(pcs) {
			n := runtime.Callers(skip, pcs[:])
			for frames, more := runtime.CallersFrames(pcs[:n]), n > 0; more; {
				var f runtime.Frame
				if f, more = frames.Next(); !yield(f) {
					return
				}
			}
			if n < len(pcs) {
				return
			}
		}
	}
}
