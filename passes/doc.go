// Package passes reads and rewrites modules with callbacks: it finds callback
// operations, inserts taps into anybody's module, takes taps out again with the tokens
// that order them, puts a callback in the place of a foreign custom call, checks layouts,
// and lets callbacks that do not depend on one another overlap.
//
// Everything here works on IR alone and needs no runtime. A module belongs to one
// goroutine at a time.
package passes
