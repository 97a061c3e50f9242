// Package hostcall binds and checks the custom calls that functions of the host serve, for runtimes, and makes them
// with arrays in the host's memory.
package hostcall
