// Package callbacks holds the Go functions that compiled programs call: the registry
// that binds them by name or by id, and the way in which one is called.
//
// A Func takes a call as it is, a Frame. Most functions are better written on Go types:
// Call makes a Func of one that takes a tree of arrays and returns one, Tap of one that
// only looks, and Print writes what it is called with.
//
//	| in the module         | form        | made by                        |
//	| builder.Tap           | observe     | Tap, Print                     |
//	| builder.IOCallback    | passthrough | Tap, Print, Call (A in, A out) |
//	| builder.RuntimeCall   | call        | Call                           |
//	| builder.PureCall      | pure        | Call                           |
//
// Arguments and results are views on the runtime's memory, valid until the function
// returns. What a function returns is held against what the module expects before any
// of it is copied there; see TemplateError.
//
// How a function is called is Options.Dispatch:
//
//	|           | runs on            | its views are  | may be stopped | for                    | costs a call                   |
//	| Inline    | the device's thread | XLA's memory   | no             | everything             | 0.1 µs, no copy                |
//	| Goroutine | a worker           | copies         | yes            | everything             | some µs and the copies         |
//	| Async     | a worker           | copies         | yes            | observe, passthrough   | 1 µs and a copy of operands    |
//	| Deferred  | a worker           | copies         | yes            | calls that may overlap | as Goroutine                   |
//
// What may be stopped is stopped by Options.Timeout, by RegistryOptions.Timeout and by
// the end of the run's context: nothing waits for the function any more, and what it
// does then reaches nobody. A timeout makes Goroutine of Inline. A function that does not
// return then is lost: its place is another's, Stat.Lost counts it until it returns, and
// RegistryOptions.LostLimit says how many may be.
//
// Copies are used again for later calls, once the function has returned: Clone what is
// kept. With CALLIOPE_DEBUG=1 the use of a view after its call is a panic or a fault.
//
// Deferred calls of a run overlap where they do not depend on one another, by a value
// or by the order of an effect, and where XLA's CPU runs the steps around them (those of
// one function with the functions that it calls, or of one loop's or branch's body)
// concurrently. It runs them one after the other where there are 8 steps or fewer, where
// no step has an array of more than 512 bytes, or where each step needs the one before
// it. It also gives the memory of one call's operands to what comes later, which then
// waits. builder.Options.Overlap, or passes.LetOverlap, adds what is missing; and no more
// calls overlap than RegistryOptions.Workers allows. bridge/preflight.Waits lists the
// calls that gain nothing.
//
// A module may ask for each n-th call only (builder.Callback.Every). The turns of a call
// site are counted over all runs and devices of an executable, not in each run anew.
//
// An error fails the run, and comes out of it as the very value. A tap does not stop
// its run, unless Options.FailRun says so: its errors are logged, counted, and given to
// the next barrier. Barrier waits for every callback of every run before it, in queues
// too; a client of bridge has one of its own. Stats counts what became of the calls,
// Waiting lists those under way, and RegistryOptions.Watch has a watchdog do so.
//
// With brings a function for the runs of one context.
//
// The package knows neither C nor MLIR, and makes no calls itself: a runtime, package
// bridge for example, binds the call sites of a module when it is compiled, and makes the
// calls. Without one there are no Stats, and Barrier has nothing to wait for.
package callbacks
