//go:build race

package bridge

// raced says that the race detector is on.
const raced = true
