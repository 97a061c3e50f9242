package callbacks

// A ForeignTarget is a target of XLA's typed FFI whose calls do not follow the contract.
// Their operands, results and attributes are those of another host, for example of
// jax.ffi.ffi_call. A call has the form contract.Call: the function gets all operands, and
// fills all results, except for tokens before them. If the function is registered with
// Async or PerSecond, a call must have no results, and has the form contract.Observe. Frame.Attributes has
// the attributes of the call's backend_config, or of its mhlo.backend_config, which is JAX's spelling.
type ForeignTarget struct {
	Target   string
	Callback string // name of the callback that serves it; "" is Target
	Registry string // of the callback; "" is the default one
	// Check, if not nil, is called with the attributes of each call while a module is
	// compiled. Its error is the compile's error. It usually decodes the attributes:
	//
	//	func(a callbacks.Attributes) error { return a.Decode(new(scaling)) }
	Check func(Attributes) error
	// AnyLayout is whether the callback handles arrays in any layout. A compiler refuses a call
	// with another layout than row-major if AnyLayout is false. The callback gets only
	// the shape: the data of a view is in the memory order of the layout that the module
	// requests for the operand or result, and At of the view is valid for row-major arrays
	// only.
	AnyLayout bool
}
