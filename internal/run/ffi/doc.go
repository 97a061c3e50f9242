// Package ffi takes calls from XLA into Go, through XLA's typed FFI.
//
// A Registry, one for each plugin, makes Go the handler of custom call targets. While XLA
// compiles a module, each call site becomes a Site, which XLA then calls: a Call is the
// call frame, in XLA's memory. ffi_abi.h declares the part of the FFI that is used, and
// ffi_handler.c is the trampoline. ffi_call.h is for handlers written in C, here and in
// other packages.
package ffi
