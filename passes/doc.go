// Package passes rewrites modules with callbacks: it inserts taps into anybody's module,
// takes taps out again with the tokens that order them, puts a callback in the place of a
// foreign custom call, and lets callbacks that do not depend on one another overlap.
//
// Everything here works on IR alone and needs no runtime; package contract/callop finds
// and reads callbacks. A module belongs to one goroutine at a time.
package passes
