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
// The package knows neither C nor MLIR. A runtime (bridge) resolves what a module's
// backend_config says into a Slot once, when the module is compiled, and invokes the
// slot for each call.
package callbacks
