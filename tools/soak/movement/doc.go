// Package movement runs random programs that move data and count: slices, pads, concatenations, updates, gathers,
// scatters and the like, with arithmetic and reductions between them, in loops, branches and functions. It holds what
// each engine makes of them, bit by bit, against an evaluator that shares nothing with what is tested.
//
// A program is a tree (program.go), which is made from a number (generate.go), evaluated in plain Go (evaluate.go), and
// written as text (text.go). Several programs are in one module (run.go). One that differs is made smaller (shrink.go).
package movement
