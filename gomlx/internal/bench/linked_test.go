//go:build !xla

package main

const linked = 1 // backends
