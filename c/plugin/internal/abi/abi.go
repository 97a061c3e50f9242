package abi

import "unsafe"

// A Function is the number of a function of the API.
type Function int32

// String returns the name of the function in C.
func (f Function) String() string { return names[f] }

// NumFunctions is how many functions the API has.
const NumFunctions = len(names)

// A Handle is a pointer to what only the plugin looks into: a number that the plugin gave out, or 0.
type Handle uintptr

// Within returns a copy of the struct at p, whose first field is the size that the caller knows. What that lacks is
// zero. save writes the copy back.
func Within[T any](p unsafe.Pointer) (args *T, save func()) {
	args = new(T)
	size := min(*(*int)(p), int(unsafe.Sizeof(*args)))
	theirs, ours := unsafe.Slice((*byte)(p), size), unsafe.Slice((*byte)(unsafe.Pointer(args)), size)
	copy(ours, theirs)
	return args, func() { copy(theirs, ours) }
}

// Bytes returns what a pointer and a number describe, in the caller's memory.
func Bytes(p *byte, n int) []byte { return unsafe.Slice(p, n) }

// List returns an array in the caller's memory.
func List[T any](p *T, n int) []T { return unsafe.Slice(p, n) }
