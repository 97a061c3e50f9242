// Package execution compiles modules of the LLVM dialect in this process and calls their
// functions. It uses MLIR's ExecutionEngine. Of the known libraries, the default one and
// upstream LLVM have it.
//
// A module runs whatever it says, with the rights of the process: it calls any C function, some of it when the engine
// is made, and reads and writes any memory. Package jit compiles what XLA would take, and refuses the rest.
package execution
