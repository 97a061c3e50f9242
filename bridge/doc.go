// Package bridge compiles and runs StableHLO modules on XLA, through a PJRT
// plugin, and lets the compiled code call Go.
//
// A [Plugin] is loaded once in a process. A [Client] of it has devices; it
// compiles a module into an [Executable], and an execution of that is a [Run].
// Arrays on a device are [Buffer]s. A custom call of the module that follows
// package contract reaches the function that package callbacks has for it, on
// views of XLA's own memory; an error or a panic in that function is the error of
// the run.
//
// How a module was built is not this package's business: it takes text, bytecode
// and portable artifacts alike.
package bridge
