// Package callbacks holds the Go functions that compiled programs call: the registry
// that binds them by name or by id, and the way in which one is called.
//
// It knows neither C nor MLIR. A runtime (bridge) resolves what a module's
// backend_config says into a Slot once, when the module is compiled, and invokes the
// slot for each call.
package callbacks
