//go:build race

package bridge

// raced reports whether the race detector is on.
const raced = true
