// Package legacy serves functions that were written for the custom calls that XLA had before its
// typed FFI, without a change to them. Modules call them after passes.ReplaceLegacy rewrote
// their calls.
//
// A function is of C, from a shared library or by its address, or of Go. Its Form is its
// signature:
//
//	| Form       | signature                                                                         | api_version |
//	| Host       | void f(void* out, const void** in)                                                | 0, 1        |
//	| HostStatus | void f(void* out, const void** in, XlaCustomCallStatus*)                          | 2           |
//	| HostOpaque | void f(void* out, const void** in, const char* opaque, size_t, XlaCustomCallStatus*) | 3        |
//	| GPU        | void f(CUstream, void** buffers, const char* opaque, size_t)                      | 0, 1        |
//	| GPUStatus  | void f(CUstream, void** buffers, const char* opaque, size_t, XlaCustomCallStatus*)| 2, 3        |
//
// A module whose call has another version does not compile, and the error is a *VersionError.
//
// In the Host forms in has a pointer for each operand, and out is the pointer of the result. A
// tuple is an array of such pointers, which is valid during the call. In the GPU forms buffers has
// a pointer for each array of the operands and then of the result, in pre-order. On CPU the stream
// is NULL and the pointers are of host memory.
//
// All arrays are in row-major order. Functions get no shapes and no types, so nothing checks that
// they stay within their arrays, except in debug mode: see bridge.OpenOptions.Debug. If a function of C crashes,
// the process ends with a line on stderr that names the custom call. The opaque string is followed by a zero byte that
// does not count.
//
// A function is called on XLA's thread and memory. With a timeout, or with callbacks.Options.Dispatch,
// it is called on copies; then a result is not in the memory of the operand that it is aliased to.
// A C function that is stopped is lost until it returns.
//
// If a function reports a failure, the run fails with a *StatusError. No result of the run
// can be used.
//
// docs/legacy.md describes the conventions, and which headers the functions need.
package legacy
