package cuda

// Load is load, for tests.
var Load = load
