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
// A run ends for who waits for it when the context does; XLA may be busy with it for
// longer, and what the run needs is freed after that. Buffer.ToHost copies an array to the
// host, and Buffer.View shows it in place; Borrow and Client.BorrowFromHost give a host array
// to the device without a copy. ClientOptions.MemoryLimit bounds what a client holds, and
// Client.Stats says it.
//
// A callback may run functions of its own on the client that InnerClient gives; its
// own client is refused, for XLA would wait for itself. Where that cannot be seen, because
// a callback waits for another goroutine that runs, ClientOptions.StallAfter ends it.
// Client.Barrier waits for the callbacks of all runs, and Close does so for a while. For
// debugging, OnCaller makes callbacks on the goroutine that called Run, and OpenOptions.Debug
// catches views that are used after their call.
//
// How a module was built is not this package's business: it takes text, bytecode
// and portable artifacts alike.
package bridge
