// Package callers finds the lines of Go code that call this module.
package callers
