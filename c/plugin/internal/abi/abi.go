package abi

import "unsafe"

// A Function is the number of a function of the API.
type Function int32

// String returns the name of the function in C.
func (f Function) String() string {
	switch f {
	case ParameterShardings:
		return "PJRT_Shardings_PJRT_Executable_ParameterShardings"
	case OutputShardings:
		return "PJRT_Shardings_PJRT_Executable_OutputShardings"
	}
	return names[f]
}

// NumFunctions is how many functions the API has.
const NumFunctions = len(names)

// The functions of the extension Shardings have numbers after those of the API.
const (
	ParameterShardings = Function(NumFunctions)
	OutputShardings    = ParameterShardings + 1
)

// ShardingsArgs are the arguments of both: the shardings are OpShardings of xla/xla_data.proto, in the memory of the
// executable (xla/pjrt/c/pjrt_c_api_shardings_extension.h).
type ShardingsArgs struct {
	StructSize     int
	ExtensionStart *ExtensionBase
	Executable     Handle
	Num            int
	Shardings      **byte
	Sizes          *int
}

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
