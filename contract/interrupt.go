package contract

// The registry and the name of a callback that does nothing. A call of it ends a run whose context has ended: see
// passes.InterruptLoops. Package bridge registers it.
const (
	InterruptRegistry = "calliope.interrupt"
	InterruptCallback = "poll"
)
