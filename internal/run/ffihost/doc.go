// Package ffihost calls handlers of XLA's typed FFI as XLA does, so that native libraries for XLA serve calls in other
// engines. Package ffi is the other side. The facts are those of package ffi.
//
// A handler gets memory of the host, the number of the device and of the run, a thread pool of one thread, the
// caller's, memory of its own, and the states that it has set. It may return before it is done; the call then waits for
// it.
package ffihost
