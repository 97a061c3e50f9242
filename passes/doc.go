// Package passes rewrites modules with callbacks: it inserts taps into any module, removes taps and the tokens that
// order them, replaces a custom call of another host by a callback, turns the outfeeds and infeeds of older programs
// into ordered callbacks, rewrites custom calls of the conventions before the typed FFI, lets callbacks that do not
// depend on one another overlap, and rewrites what XLA's compiler gets wrong. It proves that other rewritings keep the
// calls with side effects. Package passes/order proves that the calls of each effect are ordered.
//
// The passes work on IR alone and need no runtime. Package contract/callop finds and reads
// callbacks. Only one goroutine at a time may use a module.
package passes
