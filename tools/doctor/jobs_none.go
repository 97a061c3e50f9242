//go:build !cgo || !(linux || darwin || windows)

package main

// withC reports whether this program can open native libraries.
const withC = false

var jobs = map[string]job{}
