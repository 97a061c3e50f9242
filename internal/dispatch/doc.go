// Package dispatch makes the calls of callbacks, for runtimes.
//
// A runtime binds each call site of an executable to a Slot (Resolve), makes its clients
// Groups and its executions Runs, and hands each call that compiled code makes to Slot.Do.
// The slot has the function called in the way that the callback is registered for: on the
// runtime's thread and memory, or by a worker of the registry's pool on copies. It counts
// the calls and keeps the errors of taps for the next barrier.
//
// The data of a call goes one way:
//
//	Slot.Do ─ Source.Read ─ function, inline          ─ Source.Finish
//	                      ╰ task ─ pool ─ worker      ╯
//	                      ╰ task ─ lane (Async) ─ pool ─ worker
//
// Package callbacks holds what people write against. It does not import this package; what
// its functions ask of it (Stats, Waiting, Barrier) goes through package access.
package dispatch
