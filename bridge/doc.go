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
// A callback may run functions of its own on the client that InnerClient gives; its
// own client is refused, for XLA would wait for itself. Client.Barrier waits for the
// callbacks of all runs, and Close does so for a while. For debugging, OnCaller makes
// callbacks on the goroutine that called Run, and Options.Debug catches views that are
// used after their call.
//
// How a module was built is not this package's business: it takes text, bytecode
// and portable artifacts alike.
package bridge
