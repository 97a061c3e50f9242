// Package callers finds the lines of Go code that call this module.
package callers

// Depth is the number of calls that Addresses looks at.
const Depth = 8
