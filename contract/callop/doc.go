// Package callop is the contract as IR. It finds the callback operations of a module and
// reads them, writes their backend_config, makes the tokens that order them, checks their
// layouts, and tells which of them may run at once.
//
// It changes no module: package builder makes callbacks, and package passes rewrites
// modules with callbacks. A module belongs to one goroutine at a time.
package callop
