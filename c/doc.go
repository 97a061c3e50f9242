// Package c is the C ground floor: everything in Calliope that must be written
// in C, and the few Go functions that reach it.
//
//   - ffi and pjrt: XLA's typed FFI and the PJRT table in declarations of our
//     own, and the trampoline that takes a call from XLA into Go.
//
// Nothing of LLVM, StableHLO or XLA is linked or copied: all of it is found at
// run time. Users of Calliope do not import this package; mlir and bridge do.
package c
