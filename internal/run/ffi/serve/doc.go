// Package serve serves the calls that compiled code of XLA makes of Go: it binds call sites to functions while XLA
// compiles, makes views of XLA's call frames, and passes each call to internal/run/dispatch.
package serve
