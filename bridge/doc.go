// Package bridge compiles and runs StableHLO modules on XLA, through a PJRT plugin, and
// lets the compiled code call Go.
//
// A [Plugin] is loaded once in a process. A [Client] of it has devices. It compiles a
// engine.Program into an [Executable]; one execution of that is a [Run]. Arrays on a device are
// of type engine.Array. A custom call of the module that follows package contract calls a function
// that is registered in package callbacks. The function gets views of XLA's own memory. If
// it returns an error or panics, the run fails with that error. On a GPU it gets views of a
// copy in host memory; docs/gpu.md says what differs there.
//
// If the context of a wait ends, the wait ends. XLA may go on with the run; what the run
// needs is freed when it is over. engine.Array.ToHost copies an array to the host, and
// engine.Array.View shows it without a copy. engine.Borrow and [Client.BorrowFromHost] lend a host
// array to a device without a copy. ClientOptions.MemoryLimit limits the memory that a
// client holds, and [Client.Stats] reports it. [Executable.Memory] reports what a program needs.
//
// A callback may run modules on the client that [InnerClient] returns. It cannot use its
// own client, because XLA would wait for itself; Start returns an error then. If a callback
// waits for another goroutine that runs a module, this cannot be detected, and
// ClientOptions.StallAfter ends the wait. [Client.Barrier] waits for the callbacks of all
// runs, and [Client.Close] waits for them for a limited time. For debugging, [OnCaller]
// makes callbacks on the goroutine that called Run, and OpenOptions.Debug detects views
// that are used after their call.
package bridge
