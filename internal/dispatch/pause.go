//go:build amd64 || arm64

package dispatch

// pause tells the processor that the program is in a loop that waits for another
// processor's store.
func pause()
