//go:build xla

package main

const linked = 2 // backends
