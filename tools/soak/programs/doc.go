// Package programs runs random programs with callbacks in many ways, and holds their results and their calls against an
// interpreter of the programs, which shares nothing with what is tested.
//
// A program is a tree (tree.go). It is generated from a number (generate.go), interpreted in plain Go (reference.go),
// and built with package builder (build.go), also in the form of older programs (old.go). A way (ways.go) compiles
// the module and runs it several times (run.go); the functions that it calls record what they get (record.go).
package programs
