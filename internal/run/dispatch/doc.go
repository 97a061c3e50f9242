// Package dispatch makes the calls of callbacks, for runtimes.
//
// A runtime binds each call site of an executable to a Slot (by Resolve), makes a Group for
// each client and a Run for each execution, and passes each call of the compiled code to
// Slot.Do. The slot calls the function according to the Dispatch of its registration: on
// the runtime's thread and memory, or on copies by a worker of the registry's pool. It
// counts the calls and keeps the errors of taps for the next barrier.
//
// The data of a call goes one way:
//
//	Slot.Do ─ Transport.Read ─ function, inline          ─ Transport.Finish
//	                         ╰ task ─ pool ─ worker      ╯
//	                         ╰ task ─ lane (Async) ─ pool ─ worker
//
// Package callbacks is the public API. It does not import this package; its functions that
// need dispatch (Stats, InFlight, Barrier) call it through package access.
package dispatch
