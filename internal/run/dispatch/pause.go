//go:build amd64 || arm64

package dispatch

// pause hints to the processor that the program spins until another processor stores a value.
func pause()
