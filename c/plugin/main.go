// Command plugin is a PJRT plugin: a library with the function GetPjrtApi, which any program opens that speaks XLA's
// PJRT C API, such as JAX. It compiles StableHLO by package jit, which is MLIR and LLVM, and runs it on the CPU.
//
//	go build -buildmode=c-shared -o pjrt_c_api_calliope_plugin.so ./c/plugin
//
// A function of the API that is missing here returns an error with its name. So does a handle that is not one: what
// Go panics about is an error of the call.
package main

// A library has no main function.
func main() {}
