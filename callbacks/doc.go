// Package callbacks holds the Go functions that compiled programs call. It has the registry
// that binds the functions by name or by id, and the options that say how each one is
// called.
//
// A Func receives the call as a Frame. Most functions are easier to write on Go types: Call
// makes a Func from a function that takes a tree of arrays and returns one, Tap makes a
// Func from a function that only reads its arguments, and Print makes a Func that writes
// them.
//
// The form of a call in the module decides what the function may return. This table relates
// the forms to JAX:
//
//	| in the module       | form        | in JAX         | made by                        |
//	| builder.RuntimeCall | call        | io_callback    | Call                           |
//	| builder.PureCall    | pure        | pure_callback  | Call                           |
//	| builder.Tap         | observe     | debug.callback | Tap, Print                     |
//	| builder.Passthrough  | passthrough | none           | Tap, Print, Call (A in, A out) |
//
// Passthrough is named after Nx's proposal of io_callback, which passes its operands
// through. It is not JAX's io_callback, which is RuntimeCall here.
//
// Arguments and results are views of the runtime's memory. They are valid until the
// function returns. Results are compared with what the module expects before any of them is
// copied into that memory; see TemplateError.
//
// Options.Dispatch says how a function is called:
//
//	|           | runs on             | its views are | can be stopped | for                    | cost of a call               |
//	| Inline    | the device's thread | XLA's memory  | no             | everything             | 0.1 µs, no copy              |
//	| Goroutine | a worker            | copies        | yes            | everything             | some µs and the copies       |
//	| Async     | a worker            | copies        | yes            | observe, passthrough   | 1 µs and a copy of operands  |
//	| Deferred  | a worker            | copies        | yes            | calls that may overlap | as Goroutine                 |
//
// A call that can be stopped is stopped by Options.Timeout, by RegistryOptions.Timeout, and
// by the end of the run's context. The run then stops waiting for the function and ignores
// what it does afterwards. A timeout turns Inline into Goroutine. A function that has not
// returned when its call is stopped is lost: its place in the worker pool is given to
// another call, Stat.Lost counts it until it returns, and RegistryOptions.LostLimit limits
// how many functions may be lost.
//
// Copies are reused for later calls once the function has returned, so Clone what you keep.
// With CALLIOPE_DEBUG=1, using a view after its call causes a panic or a fault.
//
// Deferred calls of one run overlap if they do not depend on each other, by a value or by
// the order of an effect, and if XLA's CPU backend runs the steps around them concurrently.
// The steps are those of one function with the functions that it calls, or those of the
// body of one loop or branch. XLA runs the steps one after the other if there are 8 or
// fewer, if no step has an array of more than 512 bytes, or if each step needs the one
// before it. XLA also reuses the memory of one call's operands for later steps, which then
// wait. builder.Options.Overlap and passes.LetOverlap add operations to a module so that
// its independent calls can overlap. At most RegistryOptions.Workers calls overlap.
// bridge/preflight.Waits lists the calls that gain nothing.
//
// A module may ask for only every n-th call (builder.Callback.Every). The calls of a call
// site are counted over all runs and devices of an executable, not anew in each run.
//
// An error fails the run. The run returns a CallError, which names the callback, the Go line of its
// call and the device, and unwraps to that same error value. An error of a tap does
// not fail its run unless Options.FailRun is set: it is logged, counted, and returned by
// the next barrier. So is each error with Options.KeepErrors. Barrier waits for every callback
// of every earlier run, including queued ones; a client of package bridge has a barrier of its
// own. Stats returns the counters of the calls, InFlight lists the calls in flight, and
// RegistryOptions.Watch makes a watchdog log them.
//
// With replaces a function for the runs of one context.
//
// The package does not use C or MLIR and makes no calls itself. A runtime, such as package
// bridge, binds the call sites of a module when it compiles the module, and makes the
// calls. Without a runtime, Stats returns nothing and Barrier has nothing to wait for.
package callbacks
