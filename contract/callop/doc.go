// Package callop implements the contract in IR. It finds and reads the callback operations of
// a module, writes their backend_config, creates the tokens that order them, checks their
// layouts, and finds which of them may run at once.
//
// It does not change modules: package builder creates callbacks, and package passes rewrites
// modules with callbacks. Only one goroutine at a time may use a module.
package callop
