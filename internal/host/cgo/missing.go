//go:build !cgo

package cgo

// The compiler reports this constant, and compiles no package that imports this one.
const missing uint = "calliope calls C libraries and needs cgo: install a C compiler (Debian: apt-get install gcc) or set CC, and unset CGO_ENABLED or set it to 1"
