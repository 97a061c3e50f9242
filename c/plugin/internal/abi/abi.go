package abi

import "unsafe"

// A Function is the number of a function of the API.
type Function int32

// String returns the name of the function in C.
func (f Function) String() string {
	if f >= ParameterShardings {
		return extensions[f-ParameterShardings]
	}
	return names[f]
}

// The functions of extensions have numbers after those of the API.
const (
	ParameterShardings = Function(len(names)) + iota
	OutputShardings
	RegisterType
	AddUserData
	RegisterHandler

	NumFunctions = int(RegisterHandler) + 1
)

var extensions = [...]string{
	"PJRT_Shardings_PJRT_Executable_ParameterShardings", "PJRT_Shardings_PJRT_Executable_OutputShardings",
	"PJRT_FFI_Type_Register", "PJRT_FFI_UserData_Add", "PJRT_FFI_Register_Handler",
}

// ShardingsArgs are the arguments of ParameterShardings and OutputShardings: the shardings are OpShardings of
// xla/xla_data.proto, in the memory of the executable (xla/pjrt/c/pjrt_c_api_shardings_extension.h).
type ShardingsArgs struct {
	StructSize     int
	ExtensionStart Ptr[ExtensionBase]
	Executable     Handle
	Num            int
	Shardings      Ptr[Ptr[byte]]
	Sizes          Ptr[int]
}

// The arguments of the functions for handlers of XLA's typed FFI are those of
// xla/pjrt/c/pjrt_c_api_ffi_extension.h. A TypeID that is 0 is one that the function sets.
type (
	RegisterTypeArgs struct {
		StructSize     int
		ExtensionStart Ptr[ExtensionBase]
		Name           Ptr[byte]
		NameSize       int
		TypeID         int64
		Info           Ptr[TypeInfo] // of newer clients
	}
	TypeInfo        struct{ Deleter, Serialize, Deserialize uintptr }
	AddUserDataArgs struct {
		StructSize     int
		ExtensionStart Ptr[ExtensionBase]
		Context        Handle
		TypeID         int64
		Data           uintptr
	}
	RegisterHandlerArgs struct {
		StructSize   int
		Target       Ptr[byte]
		TargetSize   int
		Handler      uintptr
		Platform     Ptr[byte]
		PlatformSize int
		Traits       uint32
	}
)

// A Handle is a pointer to what only the plugin looks into: a number that the plugin gave out, or 0.
type Handle uintptr

// A Ptr is a pointer to memory of C. It is a number for Go's garbage collector, because what a caller has not set may
// be what is left of a pointer to Go's memory, at which the collector would end the process.
type Ptr[T any] uintptr

// Get returns the pointer, which must be set.
func (p Ptr[T]) Get() *T { return *(**T)(unsafe.Pointer(&p)) }

// To returns a pointer as a field has it.
func To[T any](p *T) Ptr[T] { return Ptr[T](uintptr(unsafe.Pointer(p))) }

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
func Bytes(p Ptr[byte], n int) []byte { return List(p, n) }

// List returns an array in the caller's memory.
func List[T any](p Ptr[T], n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice(p.Get(), n)
}
